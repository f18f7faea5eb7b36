import { expect, test } from "vitest";
import { withdrawal } from "../../../../src/api/explorer/present/block.ts";
import { addressAt } from "../../../support/build.ts";

test("presents a withdrawal as texts, without what its block adds", () => {
  const row = { withdrawalIndex: 7, validatorIndex: 12, address: addressAt(3) };
  const block = { blockNumber: 5, timestampSeconds: 100 };
  expect(withdrawal.present({ ...row, amountGwei: "32000000000", ...block })).toEqual({
    withdrawalIndex: "7",
    validatorIndex: "12",
    address: addressAt(3),
    amount: "32000000000",
  });
});

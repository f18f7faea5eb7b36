import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { inCommonForm } from "../../../src/chain/forms/forms.ts";
import type { FetchedBlock } from "../../../src/chain/types.ts";
import { inOneForm, readAuthorizations } from "../../../src/core/evm/authorization.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";

const account = privateKeyToAccount(`0x${"42".repeat(32)}`);
const authority = account.address.toLowerCase();
const DELEGATE = `0x${"de".repeat(20)}` as const;
const CHAIN = 31_337;

async function sign(chainId: number, nonce: number) {
  const signed = await account.signAuthorization({ contractAddress: DELEGATE, chainId, nonce });
  const { r, s, yParity = 0 } = signed;
  return {
    chainId: quantity(chainId),
    nonce: quantity(nonce),
    address: DELEGATE,
    r: quantity(r),
    s: quantity(s),
    yParity: quantity(yParity),
  };
}

test("every spelling becomes the specification's", async () => {
  const { chainId, nonce, address, r, s, yParity } = await sign(CHAIN, 7);
  const right = { chainId, nonce, address, r, s, yParity };
  const spellings = [
    right,
    {
      chain_id: CHAIN,
      nonce: 7,
      address: address.toUpperCase().replace("0X", "0x"),
      r,
      s,
      y_parity: Number(yParity),
    },
    { chainId, nonce, address, signature: { r, s, yParity } },
    {
      chain_id: String(CHAIN),
      nonce: "7",
      address,
      signature: { r, s, v: quantity(27 + Number(yParity)) },
    },
    { ...right, r: `0x${r.slice(2).padStart(64, "0")}` },
  ];
  expect(inOneForm(spellings)).toEqual(spellings.map(() => right));
  const block = {
    timestamp: "0x1",
    gasLimit: "0x1",
    transactions: [
      {
        type: "0x4",
        input: "0x",
        value: "0x0",
        nonce: "0x0",
        gas: "0x1",
        authorizationList: spellings,
      },
    ],
  };
  const { transactions } = inCommonForm({
    block,
    receipts: [],
    traces: null,
  } as unknown as FetchedBlock).block;
  expect(transactions[0]?.authorizationList).toEqual(spellings.map(() => right));
});

test("one that cannot be read stays as it is", () => {
  const odd = [
    { nonce: "0x1" },
    null,
    "text",
    { chainId: "0x1", address: "0x12", nonce: "0x0", r: "0x1", s: "0x1", yParity: "0x0" },
  ];
  expect(inOneForm(odd)).toEqual(odd);
});

test("the account is recovered, and what cannot take effect is marked", async () => {
  const own = await sign(CHAIN, 0);
  const any = await sign(0, 255);
  const other = await sign(1, 3);
  const high = { ...own, s: quantity(2n ** 256n - 1n) };
  const read = await readAuthorizations([own, any, other, high, { nonce: "0x1" }], CHAIN, 4);
  expect(read.map(({ authority: found, valid }) => [found, valid])).toEqual([
    [authority, true],
    [authority, true],
    [authority, false],
    [null, false],
  ]);
});

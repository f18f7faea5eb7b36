import { z } from "zod";
import {
  getVerifiedAbi,
  getVerifiedAbiBytes,
} from "../../../../store/contracts/verified/verified-contract.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { NOT_VERIFIED } from "../../present/verified-contract.ts";
import { sourceAddress } from "./source-address.ts";

export const getabi = defineAction({
  name: "getabi",
  summary: "ABI of a verified contract as JSON text",
  params: z.object({ address: sourceAddress }),
  result: z.string(),
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle({ read, largeAnswers }, input) {
    const abi = await largeAnswers.make(
      (sql) => getVerifiedAbiBytes(sql, input.address),
      () => read((sql) => getVerifiedAbi(sql, input.address), "one statement"),
    );
    return abi === undefined ? failed("not-verified", NOT_VERIFIED) : ok(abi);
  },
});

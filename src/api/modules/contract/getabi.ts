import { z } from "zod";
import { getVerifiedAbi } from "../../../store/verified-contracts.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { NOT_VERIFIED } from "../../present/verified-contract.ts";
import { sourceAddress } from "./source-address.ts";

export const getabi = defineAction({
  name: "getabi",
  summary: "ABI of a verified contract as JSON text",
  envelope: "explorer",
  params: z.object({ address: sourceAddress }),
  result: z.string(),
  example: { address: "0xa15bb66138824a1c7167f5e85b957d04dd34e468" },
  async handle({ sql }, input) {
    const abi = await getVerifiedAbi(sql, input.address);
    return abi === undefined ? failed(NOT_VERIFIED) : ok(abi);
  },
});

import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import {
  presentForBlockscout,
  presentForEtherscan,
  sourceRecord,
} from "../../present/verified-contract.ts";
import { answerSource } from "../../source-answer.ts";
import { sourceAddress } from "./source-address.ts";

export const getsourcecode = defineAction({
  name: "getsourcecode",
  summary: "Source, settings and ABI of a verified contract",
  params: z.object({ address: sourceAddress }),
  result: {
    blockscout: z.array(sourceRecord.blockscout).length(1),
    etherscan: z.array(sourceRecord.etherscan).length(1),
  },
  example: { address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
  async handle(context, input) {
    return context.dialect === "etherscan"
      ? ok([await answerSource(context, input.address, presentForEtherscan)])
      : ok([await answerSource(context, input.address, presentForBlockscout)]);
  },
});

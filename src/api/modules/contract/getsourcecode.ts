import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import {
  presentForBlockscout,
  presentForEtherscan,
  sourceRecord,
} from "../../present/verified-contract.ts";
import { readSource } from "../../source-answer.ts";
import { sourceAddress } from "./source-address.ts";

export const getsourcecode = defineAction({
  name: "getsourcecode",
  summary: "Source, settings and ABI of a verified contract",
  envelope: "explorer",
  params: z.object({ address: sourceAddress }),
  result: {
    blockscout: z.array(sourceRecord.blockscout).length(1),
    etherscan: z.array(sourceRecord.etherscan).length(1),
  },
  example: { address: "0xa15bb66138824a1c7167f5e85b957d04dd34e468" },
  async handle({ sql, dialect }, input) {
    const answer = await readSource(sql, input.address);
    return dialect === "etherscan"
      ? ok([presentForEtherscan(answer)])
      : ok([presentForBlockscout(answer)]);
  },
});

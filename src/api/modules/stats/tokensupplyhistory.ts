import { z } from "zod";
import { ChainError } from "../../../core/errors.ts";
import { getBlockReference } from "../../../store/blocks.ts";
import { getToken } from "../../../store/token-facts.ts";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { address, blockNumber, listMissing } from "../../params.ts";
import { atServedHead } from "../../served-head.ts";
import * as wire from "../../wire.ts";

const INVALID_BLOCK = "Invalid blockno format";

export const tokensupplyhistory = defineAction({
  name: "tokensupplyhistory",
  summary: "Total supply of a token after a block, where the node still has the state of that time",
  envelope: "explorer",
  params: z.object({
    contractaddress: address({ invalid: "Invalid contract address format" }),
    blockno: blockNumber({ invalid: INVALID_BLOCK }),
  }),
  missing: listMissing,
  result: wire.decimal.nullable(),
  example: { contractaddress: "0x5fbdb2315678afecb367f032d93f642f64180aa3", blockno: "1" },
  async handle({ sql, chain }, { contractaddress, blockno }) {
    const token = await getToken(sql, contractaddress);
    if (!token) return failed("Contract address not found");
    return atServedHead(sql, async (head) => {
      const block = blockno <= head.number ? await getBlockReference(sql, blockno) : undefined;
      if (!block) return failed(INVALID_BLOCK);
      try {
        const [supply] = await chain.fetchTotalSupplies([contractaddress], block);
        return ok(supply?.toString() ?? null);
      } catch (error) {
        if (!(error instanceof ChainError) || error.code !== "state-unavailable") throw error;
        return failed("Historical state is not available");
      }
    });
  },
});

import { z } from "zod";
import { text } from "../../params.ts";
import { sourceRecord } from "../../present/verified-contract.ts";

/**
 * A parameter of a verification as documentation has it. Clients send it under several names and as text or JSON, so
 * the handler looks for it itself (submission.ts); nothing is refused here.
 */
export const sentText = text({ invalid: "" }).optional().catch(undefined);

/** The contract as getsourcecode has it, or the guid of a verification that takes longer. */
export const publishedResult = {
  blockscout: z.union([sourceRecord.blockscout, z.string()]),
  etherscan: z.union([sourceRecord.etherscan, z.string()]),
};

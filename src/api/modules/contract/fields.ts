import { z } from "zod";
import { text } from "../../params.ts";
import { sourceRecord } from "../../present/verified-contract.ts";

/**
 * A parameter of a verification as documentation has it. Clients send it under several names and as text or JSON, so
 * the handler looks for it itself (submission.ts); nothing is refused here.
 */
export function sent(description: string) {
  return text({ invalid: "" }).optional().catch(undefined).describe(description);
}

/** Fields of all verifications, each under the name that documentation gives it. */
export const sentFields = {
  address: sent("Contract to be verified"),
  name: sent("Name of the contract in its source"),
  compilerVersion: sent("Compiler, as `v0.8.37+commit.f401782d`"),
  source: sent("The source, in one file"),
  optimization: sent("Whether the optimiser ran: `true` or `false`, `1` or `0`"),
  runs: sent("Runs that the optimiser was set to; 200 without it"),
  evmVersion: sent("EVM version that the compiler was set to; its own default without it"),
  constructorArguments: sent("Constructor arguments in hex; found on the chain without it"),
  license: sent("Licence by its number in Etherscan's list, or its name"),
  libraryName: sent("Name of the first linked library; nine others follow with their numbers"),
  libraryAddress: sent("Address of the first linked library"),
};

/** The contract as getsourcecode has it, or the guid of a verification that takes longer. */
export const verifiedResult = {
  blockscout: z.union([sourceRecord.blockscout, z.string()]),
  etherscan: z.union([sourceRecord.etherscan, z.string()]),
};

import { z } from "zod";
import { text } from "../../params.ts";
import { sourceRecord } from "../../present/verified-contract.ts";

/** Returns a verification parameter for documentation only: the handler parses it itself, under several names. */
export function sent(description: string) {
  return text({ invalid: "" }).optional().catch(undefined).describe(description);
}

/** Fields of all verifications, under their documented names. */
export const sentFields = {
  address: sent("Contract to be verified"),
  name: sent("Name of the contract in its source"),
  compilerVersion: sent("Compiler, as `v0.8.37+commit.f401782d`"),
  source: sent("The source, in one file"),
  optimization: sent("Whether the optimiser ran: `true` or `false`, `1` or `0`"),
  runs: sent("Runs setting of the optimiser; 200 when absent"),
  evmVersion: sent("EVM version setting of the compiler; the compiler's default when absent"),
  constructorArguments: sent("Constructor arguments in hex; read from the chain when absent"),
  license: sent("Licence by its number in Etherscan's list, or its name"),
  libraryName: sent("Name of the first linked library; parameters numbered 2 to 10 name more"),
  libraryAddress: sent("Address of the first linked library"),
};

/** The contract in getsourcecode's form, or the guid of a longer verification. */
export const verifiedResult = {
  blockscout: z.union([sourceRecord.blockscout, z.string()]),
  etherscan: z.union([sourceRecord.etherscan, z.string()]),
};

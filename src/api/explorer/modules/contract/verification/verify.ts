import { z } from "zod";
import type { SourceFile } from "../../../../../store/contracts/verified/verified-contract.ts";
import { type InputValue, lookUp } from "../../../../http/input/form.ts";
import { defineAction } from "../../../action.ts";
import { type Failure, failed } from "../../../envelope.ts";
import { text } from "../../../params.ts";
import { sourceRecord } from "../../../present/verified-contract.ts";
import { BUOY_COMPILER, BUOY_METADATA, BUOY_SOURCE, BUOYS } from "./sample-buoy.ts";
import {
  ALREADY_VERIFIED,
  commonFields,
  flattenedSettings,
  isAlreadyVerified,
  isFile,
  readEvmVersion,
  readOneFile,
  readOptimization,
  readRequired,
  SPELLINGS,
  submitAndWait,
} from "./submission.ts";

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
const verifiedResult = {
  blockscout: z.union([sourceRecord.blockscout.schema, z.string()]),
  etherscan: z.union([sourceRecord.etherscan.schema, z.string()]),
};

/** Fields of one file of either language. */
const fileFields = {
  addressHash: sentFields.address,
  name: sentFields.name,
  compilerVersion: sentFields.compilerVersion,
  contractSourceCode: sentFields.source,
  evmVersion: sentFields.evmVersion,
  constructorArguments: sentFields.constructorArguments,
  licenseType: sentFields.license,
};
const REQUIRED_OF_VYPER = {
  name: SPELLINGS.name,
  compilerVersion: SPELLINGS.compilerVersion,
  contractSourceCode: SPELLINGS.source,
};
const { contractSourceCode, ...named } = REQUIRED_OF_VYPER;
const REQUIRED = { ...named, optimization: SPELLINGS.optimization, contractSourceCode };

const FILES = { parameter: "files" };
const USED = /\.(?:json|sol)$/i;

export const verifications = {
  verify: defineAction({
    summary: "Verifies a contract from one Solidity file, and answers when it is done",
    isSubmission: true,
    params: z.object({
      ...fileFields,
      optimization: sentFields.optimization,
      optimizationRuns: sentFields.runs,
      autodetectConstructorArguments: sent(
        "`true`: take the constructor arguments from the chain, even if some are given",
      ),
      library1Name: sentFields.libraryName,
      library1Address: sentFields.libraryAddress,
    }),
    required: ["addressHash", ...Object.keys(REQUIRED)],
    result: verifiedResult,
    example: {
      addressHash: BUOYS.verify,
      name: "Buoy",
      compilerVersion: BUOY_COMPILER,
      optimization: "false",
      contractSourceCode: BUOY_SOURCE,
    },
    async handle(context) {
      const { sent } = context;
      const address = readRequired(sent, REQUIRED);
      if (typeof address === "object") return address;
      const optimized = readOptimization(sent, "optimization");
      if (typeof optimized === "object") return optimized;
      return submitAndWait(context, {
        format: "flattened",
        address,
        ...readOneFile(sent),
        ...flattenedSettings(sent, optimized),
        ...commonFields(sent),
      });
    },
  }),
  verify_via_sourcify: defineMetadataFilesVerification(BUOYS.verify_via_sourcify),
  verify_via_repository: defineMetadataFilesVerification(BUOYS.verify_via_repository),
  verify_vyper_contract: defineAction({
    summary: "Verifies a contract from one Vyper file, and answers when it is done",
    isSubmission: true,
    params: z.object({
      ...fileFields,
      compilerVersion: sent("Compiler, as `v0.3.10+commit.91361694`"),
    }),
    required: ["addressHash", ...Object.keys(REQUIRED_OF_VYPER)],
    result: verifiedResult,
    example: {
      addressHash: "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
      name: "Vault",
      compilerVersion: "v0.3.10+commit.91361694",
      contractSourceCode: "total: public(uint256)",
    },
    async handle(context) {
      const { sent } = context;
      const address = readRequired(sent, REQUIRED_OF_VYPER);
      if (typeof address === "object") return address;
      return submitAndWait(context, {
        format: "vyper",
        address,
        ...readOneFile(sent),
        ...readEvmVersion(sent),
        ...commonFields(sent),
      });
    },
  }),
};

/** Returns a parameter for documentation only: the handler looks it up under several names. */
export function sent(description: string) {
  return text({ invalid: "" }).optional().catch(undefined).describe(description);
}

/** Declares the verification by sources and the compiler's metadata, which has two names in the reference. */
function defineMetadataFilesVerification(addressHash: string) {
  return defineAction({
    summary: "Verifies a contract from its sources and the compiler's metadata file",
    isSubmission: true,
    params: z.object({
      addressHash: sentFields.address,
      files: z.unknown().meta({
        description: "The compiler's metadata file and the sources, texts by file name",
        type: "object",
        additionalProperties: { type: "string" },
      }),
      licenseType: sentFields.license,
    }),
    required: ["addressHash", "files"],
    files: { name: "files", example: { "metadata.json": BUOY_METADATA, "Buoy.sol": BUOY_SOURCE } },
    result: verifiedResult,
    example: { addressHash },
    async handle(context) {
      const { sent, verifier } = context;
      const address = readRequired(sent, {});
      if (typeof address === "object") return address;
      if (await isAlreadyVerified(verifier, address))
        return failed("already-verified", ALREADY_VERIFIED);
      const files = readFiles(lookUp(sent, "files"));
      if ("kind" in files) return files;
      const request = { format: "metadata-files" as const, address, files, ...commonFields(sent) };
      return submitAndWait(context, request, () => "Unsuccessful Sourcify verification");
    },
  });
}

function readFiles(value: InputValue | undefined): SourceFile[] | Failure {
  const files = value === undefined ? [] : parseFiles(value);
  if (!files) return failed("invalid-parameter", "Invalid args format", FILES);
  if (files.length < 2)
    return failed("missing-parameter", "You should attach at least 2 files", FILES);
  const used = files.filter(({ path }) => USED.test(path));
  const has = (ending: string) => used.some(({ path }) => path.toLowerCase().endsWith(ending));
  return has(".json") && has(".sol")
    ? used
    : failed(
        "missing-parameter",
        "You should attach at least one *.json and one *.sol files",
        FILES,
      );
}

/** Returns the files of a list, of a map by number, or of an object of texts by name; undefined for anything else. */
function parseFiles(value: InputValue): SourceFile[] | undefined {
  if (typeof value === "string" || isFile(value)) return undefined;
  return Object.entries(value).flatMap(([key, entry]) => {
    if (isFile(entry)) return [{ path: entry.fileName, text: entry.content }];
    return typeof entry === "string" && !Array.isArray(value) ? [{ path: key, text: entry }] : [];
  });
}

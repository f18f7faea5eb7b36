import { z } from "zod";
import type { ErrorCode } from "../../../../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import type { SourceFile } from "../../../../../store/contracts/verified/verified-contract.ts";
import { reasonOf } from "../../../../../verification/errors.ts";
import type { VerificationRequest } from "../../../../../verification/request.ts";
import { type Input, type InputValue, lookUp } from "../../../../http/input/form.ts";
import { type Context, defineAction } from "../../../action.ts";
import { type Failure, failed, type Outcome, ok } from "../../../envelope.ts";
import { text } from "../../../params.ts";
import { sourceRecord } from "../../../present/verified-contract.ts";
import { BUOY_COMPILER, BUOY_METADATA, BUOY_SOURCE, BUOYS } from "./sample-buoy.ts";
import * as submission from "./submission.ts";

/** Fields of all verifications, under their documented names. */
const sentFields = {
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
  name: submission.SPELLINGS.name,
  compilerVersion: submission.SPELLINGS.compilerVersion,
  contractSourceCode: submission.SPELLINGS.source,
};
const { contractSourceCode, ...named } = REQUIRED_OF_VYPER;
const REQUIRED = { ...named, optimization: submission.SPELLINGS.optimization, contractSourceCode };

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
      const address = submission.readRequired(sent, REQUIRED);
      if (typeof address === "object") return address;
      const optimized = submission.readOptimization(sent, "optimization");
      if (typeof optimized === "object") return optimized;
      return submission.submitAndWait(context, {
        format: "flattened",
        address,
        ...submission.readOneFile(sent),
        ...submission.flattenedSettings(sent, optimized),
        ...submission.commonFields(sent),
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
      const address = submission.readRequired(sent, REQUIRED_OF_VYPER);
      if (typeof address === "object") return address;
      return submission.submitAndWait(context, {
        format: "vyper",
        address,
        ...submission.readOneFile(sent),
        ...submission.readEvmVersion(sent),
        ...submission.commonFields(sent),
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
      const address = submission.readRequired(sent, {});
      if (typeof address === "object") return address;
      if (await submission.isAlreadyVerified(verifier, address))
        return failed("already-verified", submission.ALREADY_VERIFIED);
      const files = readFiles(lookUp(sent, "files"));
      if ("kind" in files) return files;
      const request = {
        format: "metadata-files" as const,
        address,
        files,
        ...submission.commonFields(sent),
      };
      return submission.submitAndWait(context, request, () => "Unsuccessful Sourcify verification");
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
  if (typeof value === "string" || submission.isFile(value)) return undefined;
  return Object.entries(value).flatMap(([key, entry]) => {
    if (submission.isFile(entry)) return [{ path: entry.fileName, text: entry.content }];
    return typeof entry === "string" && !Array.isArray(value) ? [{ path: key, text: entry }] : [];
  });
}

const SINGLE_FILE = "solidity-single-file";
const STANDARD_JSON = new Map<string, "standard-json" | "vyper-json">([
  ["solidity-standard-json-input", "standard-json"],
  ["vyper-json", "vyper-json"],
]);
const ADDRESS = ["contractaddress", ...submission.SPELLINGS.address];
const REQUIRED_OF_SUBMISSION = {
  contractname: submission.SPELLINGS.name,
  compilerversion: submission.SPELLINGS.compilerVersion,
};
const REQUIRED_OF_SINGLE_FILE = {
  optimizationUsed: submission.SPELLINGS.optimization,
  sourceCode: submission.SPELLINGS.source,
};

/** Returns a failure with its text in `result` too, where clients expect a string. */
function refused(code: ErrorCode, text: string, parameter?: string): Failure {
  return failed(code, text, { result: text, parameter });
}

export const verifysourcecode = defineAction({
  summary: "Submits a contract's source for verification; checkverifystatus gives the outcome",
  isSubmission: true,
  params: z.object({
    codeformat: sent("Form of the source").meta({ enum: [SINGLE_FILE, ...STANDARD_JSON.keys()] }),
    contractaddress: sentFields.address,
    sourceCode: sent("The source: one file, or the compiler's standard JSON input"),
    contractname: sent("Name of the contract; in standard JSON with its file, as `a.sol:A`"),
    compilerversion: sentFields.compilerVersion,
    optimizationUsed: sent("Whether the optimiser ran, `1` or `0`; required for one file"),
    runs: sentFields.runs,
    evmversion: sentFields.evmVersion,
    constructorArguments: sentFields.constructorArguments,
    licenseType: sentFields.license,
    libraryname1: sentFields.libraryName,
    libraryaddress1: sentFields.libraryAddress,
  }),
  required: ["codeformat", "contractaddress", "sourceCode", ...Object.keys(REQUIRED_OF_SUBMISSION)],
  result: z.string(),
  example: {
    codeformat: SINGLE_FILE,
    contractaddress: BUOYS.verifysourcecode,
    sourceCode: BUOY_SOURCE,
    contractname: "Buoy",
    compilerversion: BUOY_COMPILER,
    optimizationUsed: "0",
  },
  async handle(context, { codeformat = "" }) {
    const { sent, verifier } = context;
    const address = submission.given(sent, ADDRESS);
    const lacking = lacksForm(
      codeformat,
      address,
      submission.given(sent, submission.SPELLINGS.source),
    );
    if (lacking !== undefined) return lacking;
    if (!isAddress(address))
      return refused("invalid-parameter", "Invalid address hash", "contractaddress");
    if (await submission.isAlreadyVerified(verifier, lowerAddress(address)))
      return alreadyVerified(context);
    const absent = submission.firstAbsent(sent, REQUIRED_OF_SUBMISSION);
    if (absent !== undefined) return refused("missing-parameter", `${absent} is required.`, absent);
    const zksolc = submission.given(sent, ["zksolcVersion"]);
    if (zksolc !== undefined) {
      const requested = `zksolc ${zksolc.slice(0, 100)}`;
      return refused(
        "unsupported",
        reasonOf({ code: "compiler-unavailable", requested, nearest: [] }),
      );
    }
    const request = readRequest(sent, codeformat, lowerAddress(address));
    return "kind" in request ? request : submitted(context, request);
  },
});

/** Returns the failure for a missing field, which is checked first and has no `result`. */
function lacksForm(codeformat: string, address: string | undefined, source: string | undefined) {
  const missing = (text: string, parameter: string) =>
    failed("missing-parameter", text, { parameter });
  if (STANDARD_JSON.has(codeformat)) {
    const absent = source === undefined ? "sourceCode" : "contractaddress";
    return source === undefined || address === undefined
      ? missing("Missing sourceCode or contractaddress fields", absent)
      : undefined;
  }
  const text = "Missing codeformat field";
  if (codeformat === SINGLE_FILE) {
    return address === undefined ? missing(text, "contractaddress") : undefined;
  }
  return codeformat === "" ? missing(text, "codeformat") : failed("unsupported", text);
}

function readRequest(
  sent: Input,
  codeformat: string,
  address: Address,
): VerificationRequest | Failure {
  const { source, ...named } = submission.readOneFile(sent);
  const common = { address, ...named, ...submission.commonFields(sent) };
  const format = STANDARD_JSON.get(codeformat);
  if (format) return { format, input: source, ...common };
  const absent = submission.firstAbsent(sent, REQUIRED_OF_SINGLE_FILE);
  if (absent !== undefined) return refused("missing-parameter", `${absent} is required.`, absent);
  const optimized = submission.readOptimization(sent, "optimizationUsed");
  if (typeof optimized === "object") return optimized;
  return {
    format: "flattened",
    source,
    ...submission.flattenedSettings(sent, optimized),
    ...common,
  };
}

async function submitted(context: Context, request: VerificationRequest): Promise<Outcome<string>> {
  const { verifier, dialect, client } = context;
  const found = await submission.submit(verifier, request, client);
  switch (found.outcome) {
    case "accepted":
      return ok(found.guid);
    case "already-verified":
      return alreadyVerified(context);
    case "no-code":
      return refused(
        "not-a-contract",
        dialect === "etherscan"
          ? `Unable to locate ContractCode at ${request.address}`
          : submission.NO_CODE,
      );
    default:
      return submission.describeRefusal(found.outcome, true);
  }
}

function alreadyVerified({ dialect }: Context): Failure {
  return refused(
    "already-verified",
    dialect === "etherscan" ? "Contract source code already verified" : submission.ALREADY_VERIFIED,
  );
}

import { z } from "zod";
import type { ErrorCode } from "../../../../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { reasonOf } from "../../../../../verification/errors.ts";
import type { VerificationRequest } from "../../../../../verification/request.ts";
import type { Input } from "../../../../http/input/form.ts";
import { type Context, defineAction } from "../../../action.ts";
import { type Failure, failed, type Outcome, ok } from "../../../envelope.ts";
import { BUOY_COMPILER, BUOY_SOURCE, BUOYS } from "./sample-buoy.ts";
import {
  ALREADY_VERIFIED,
  commonFields,
  describeRefusal,
  firstAbsent,
  flattenedSettings,
  given,
  isAlreadyVerified,
  NO_CODE,
  readOneFile,
  readOptimization,
  SPELLINGS,
  submit,
} from "./submission.ts";
import { sent, sentFields } from "./verify.ts";

const SINGLE_FILE = "solidity-single-file";
const STANDARD_JSON = new Map<string, "standard-json" | "vyper-json">([
  ["solidity-standard-json-input", "standard-json"],
  ["vyper-json", "vyper-json"],
]);
const ADDRESS = ["contractaddress", ...SPELLINGS.address];
const REQUIRED = {
  contractname: SPELLINGS.name,
  compilerversion: SPELLINGS.compilerVersion,
};
const REQUIRED_OF_SINGLE_FILE = {
  optimizationUsed: SPELLINGS.optimization,
  sourceCode: SPELLINGS.source,
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
  required: ["codeformat", "contractaddress", "sourceCode", ...Object.keys(REQUIRED)],
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
    const address = given(sent, ADDRESS);
    const lacking = lacksForm(codeformat, address, given(sent, SPELLINGS.source));
    if (lacking !== undefined) return lacking;
    if (!isAddress(address))
      return refused("invalid-parameter", "Invalid address hash", "contractaddress");
    if (await isAlreadyVerified(verifier, lowerAddress(address))) return alreadyVerified(context);
    const absent = firstAbsent(sent, REQUIRED);
    if (absent !== undefined) return refused("missing-parameter", `${absent} is required.`, absent);
    const zksolc = given(sent, ["zksolcVersion"]);
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
  const { source, ...named } = readOneFile(sent);
  const common = { address, ...named, ...commonFields(sent) };
  const format = STANDARD_JSON.get(codeformat);
  if (format) return { format, input: source, ...common };
  const absent = firstAbsent(sent, REQUIRED_OF_SINGLE_FILE);
  if (absent !== undefined) return refused("missing-parameter", `${absent} is required.`, absent);
  const optimized = readOptimization(sent, "optimizationUsed");
  if (typeof optimized === "object") return optimized;
  return { format: "flattened", source, ...flattenedSettings(sent, optimized), ...common };
}

async function submitted(context: Context, request: VerificationRequest): Promise<Outcome<string>> {
  const { verifier, dialect, client } = context;
  const submission = await submit(verifier, request, client);
  switch (submission.outcome) {
    case "accepted":
      return ok(submission.guid);
    case "already-verified":
      return alreadyVerified(context);
    case "no-code":
      return refused(
        "not-a-contract",
        dialect === "etherscan" ? `Unable to locate ContractCode at ${request.address}` : NO_CODE,
      );
    default:
      return describeRefusal(submission.outcome, true);
  }
}

function alreadyVerified({ dialect }: Context): Failure {
  return refused(
    "already-verified",
    dialect === "etherscan" ? "Contract source code already verified" : ALREADY_VERIFIED,
  );
}

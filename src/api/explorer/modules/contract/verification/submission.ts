import { parseInteger } from "../../../../../core/decimal.ts";
import { isAddress, lowerAddress } from "../../../../../core/evm/address.ts";
import { isRecord } from "../../../../../core/json/record.ts";
import type { GivenLibrary } from "../../../../../verification/request.ts";
import {
  type Input,
  type InputValue,
  lookUp,
  type UploadedFile,
} from "../../../../http/input/form.ts";
import { LICENSES } from "../../../present/verified-contract.ts";

// Fields of clients' verification requests, under the names of each client. Source: docs/wire.md, "Submissions".

const DEFAULT_RUNS = 200;
const MAXIMUM_LIBRARIES = 10;

/** Clients' names for the same value; the first non-empty one counts. */
export const SPELLINGS = {
  address: ["addressHash", "address", "contractaddress"],
  source: ["contractSourceCode", "sourceCode"],
  name: ["name", "contractname"],
  compilerVersion: ["compilerVersion"],
  optimization: ["optimization", "optimizationUsed"],
  runs: ["optimizationRuns", "runs"],
  evmVersion: ["evmVersion"],
  // The second is Etherscan's own typing error, which some clients use alone.
  constructorArguments: ["constructorArguments", "constructorArguements"],
  autodetect: ["autodetectConstructorArguments"],
  license: ["licenseType"],
  viaIR: ["viaIR"],
} as const;

/** Returns the text of the first non-empty name, also from a file; undefined without one. Converts an object to JSON. */
export function given(sent: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = toText(lookUp(sent, name));
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
}

/** Returns whether a value was sent as a file. */
export function isFile(value: unknown): value is UploadedFile {
  if (!isRecord(value)) return false;
  return typeof value["fileName"] === "string" && typeof value["content"] === "string";
}

function toText(value: InputValue | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return isFile(value) ? value.content : JSON.stringify(value);
}

/** Returns name, compiler and source of a contract in one file; empty where they are absent. */
export function readOneFile(sent: Input) {
  return {
    name: given(sent, SPELLINGS.name) ?? "",
    compilerVersion: given(sent, SPELLINGS.compilerVersion) ?? "",
    source: given(sent, SPELLINGS.source) ?? "",
  };
}

/** Returns whether the optimiser ran; undefined for an invalid text. */
export function parseOptimization(text: string): boolean | undefined {
  if (text === "1" || text === "true") return true;
  return text === "0" || text === "false" ? false : undefined;
}

/** Returns the settings that were sent with one Solidity file; `optimized` is the parsed `optimization`. */
export function flattenedSettings(sent: Input, optimized: boolean) {
  const runs = parseInteger(given(sent, SPELLINGS.runs) ?? "");
  const libraries = readLibraries(sent);
  return {
    optimizer: {
      enabled: optimized,
      runs: runs === undefined || runs < 0n ? DEFAULT_RUNS : Number(runs),
    },
    ...readEvmVersion(sent),
    ...(given(sent, SPELLINGS.viaIR) === "true" && { viaIR: true }),
    ...(libraries.length > 0 && { libraries }),
  };
}

/** Returns the EVM version, unless it is left to the compiler. */
export function readEvmVersion(sent: Input): { evmVersion?: string } {
  const evmVersion = given(sent, SPELLINGS.evmVersion);
  return evmVersion === undefined || evmVersion.toLowerCase() === "default" ? {} : { evmVersion };
}

/** Returns the fields of every verification; absent constructor arguments come from the chain. */
export function commonFields(sent: Input) {
  const constructorArguments = given(sent, SPELLINGS.constructorArguments);
  const autodetect = given(sent, SPELLINGS.autodetect) === "true";
  const license = parseLicense(given(sent, SPELLINGS.license));
  return {
    ...(constructorArguments !== undefined && !autodetect && { constructorArguments }),
    ...(license !== undefined && { license }),
  };
}

/** Returns the number of a licence, by name or number; undefined for an unknown one. */
function parseLicense(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(parseInteger(text) ?? 0n);
  if (LICENSES[number - 1] !== undefined) return number;
  const index = LICENSES.findIndex((name) => name.toLowerCase() === text.toLowerCase());
  return Math.max(index, 0) + 1;
}

/** Returns the libraries of `libraryname1` with `libraryaddress1`, or `library1Name` with `library1Address`; ignores incomplete pairs. */
function readLibraries(sent: Input): GivenLibrary[] {
  const numbers = Array.from({ length: MAXIMUM_LIBRARIES }, (_, index) => index + 1);
  return numbers.flatMap((number) => {
    const name = lookUp(sent, `libraryname${number}`) ?? lookUp(sent, `library${number}Name`);
    const address =
      lookUp(sent, `libraryaddress${number}`) ?? lookUp(sent, `library${number}Address`);
    return typeof name === "string" && name !== "" && isAddress(address)
      ? [{ name, address: lowerAddress(address) }]
      : [];
  });
}

import { z } from "zod";
import type { Address } from "../../../core/evm/address.ts";
import type { VerifiedSummary } from "../../../store/contracts/verified/summaries.ts";
import type { VerifiedContract } from "../../../store/contracts/verified/verified-contract.ts";
import { interfaceFiles } from "../../../verification/inputs/standard-json.ts";
import * as wire from "../wire.ts";

/** Text in place of a missing ABI or source. */
export const NOT_VERIFIED = "Contract source code not verified";

/** A verified contract, and its proxy target; `contract` undefined when it is not verified. */
interface SourceAnswer {
  address: Address;
  contract: VerifiedContract | undefined;
  implementations: readonly Address[];
}

const unverified = z.object({ Address: wire.address }).meta({ id: "BlockscoutUnverified" });
const blockscout = unverified
  .extend({
    SourceCode: z.string(),
    ABI: z.string(),
    ContractName: z.string(),
    CompilerVersion: z.string(),
    OptimizationUsed: z.enum(["true", "false"]),
    OptimizationRuns: z.number().optional(),
    EVMVersion: z.string(),
    FileName: z.string(),
    IsProxy: z.enum(["true", "false"]),
    ImplementationAddress: wire.address.optional(),
    ImplementationAddresses: z.array(wire.address).optional(),
    ConstructorArguments: z.string().optional(),
    ExternalLibraries: z
      .array(z.object({ name: z.string(), address_hash: wire.address }))
      .optional(),
    AdditionalSources: z
      .array(z.object({ Filename: z.string(), SourceCode: z.string() }))
      .optional(),
    CompilerSettings: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "BlockscoutSource" });

const etherscan = z
  .object({
    SourceCode: z.string(),
    ABI: z.string(),
    ContractName: z.string(),
    CompilerVersion: z.string(),
    OptimizationUsed: z.enum(["0", "1", ""]),
    Runs: wire.decimalOrEmpty,
    ConstructorArguments: z.string(),
    EVMVersion: z.string(),
    Library: z.string(),
    LicenseType: z.string(),
    Proxy: wire.flag,
    Implementation: wire.addressOrEmpty,
    SwarmSource: z.string(),
    SimilarMatch: z.string(),
  })
  .meta({ id: "EtherscanSource" });

/** A contract with its source. A strict client accepts the keys of one dialect only. */
export const sourceRecord = {
  blockscout: {
    schema: z.union([blockscout, unverified]) as z.ZodType,
    present: presentForBlockscout,
  },
  etherscan: { schema: etherscan as z.ZodType, present: presentForEtherscan },
};

/** Returns whether the optimiser ran; without the setting, solc's is off and vyper's on. */
export function isOptimized(contract: Pick<VerifiedSummary, "optimizerEnabled" | "language">) {
  return contract.optimizerEnabled ?? contract.language === "Vyper";
}

/** Returns whether one file and separate fields determine the code. */
function isSingleFile({ format, settings }: VerifiedContract): boolean {
  const isOneFile = format === "flattened" || format === "vyper";
  return isOneFile && JSON.parse(settings).viaIR !== true;
}

/** Presents the record in Blockscout's dialect: without a verified source only the address. */
function presentForBlockscout({
  address,
  contract,
  implementations,
}: SourceAnswer): z.output<typeof blockscout | typeof unverified> {
  if (!contract) return { Address: address };
  const optimized = isOptimized(contract);
  const { constructorArguments, libraries, optimizerRuns } = contract;
  const [implementation] = implementations;
  const { interfaces: imported, ...overrides } = JSON.parse(contract.furtherInput);
  const interfaces = interfaceFiles(imported);
  const additional = [...contract.sources, ...interfaces]
    .filter(({ path }) => path !== contract.filePath)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    Address: address,
    SourceCode: findMainSource(contract),
    ABI: contract.abi,
    ContractName: contract.contractName,
    CompilerVersion: contract.compilerVersion,
    OptimizationUsed: optimized ? "true" : "false",
    ...(optimized && optimizerRuns !== null && { OptimizationRuns: optimizerRuns }),
    EVMVersion: contract.evmVersion ?? "default",
    FileName: isSingleFile(contract) ? "" : contract.filePath,
    IsProxy: implementation === undefined ? "false" : "true",
    ...(implementation !== undefined && {
      ImplementationAddress: implementation,
      ImplementationAddresses: [...implementations],
    }),
    ...(constructorArguments !== null &&
      constructorArguments !== "0x" && { ConstructorArguments: constructorArguments.slice(2) }),
    ...(libraries.length > 0 && {
      ExternalLibraries: libraries.map((library) => ({
        name: library.name,
        address_hash: library.address,
      })),
    }),
    ...(additional.length > 0 && {
      AdditionalSources: additional.map(({ path, text }) => ({ Filename: path, SourceCode: text })),
    }),
    ...(!isSingleFile(contract) && {
      CompilerSettings: { ...JSON.parse(contract.settings), ...overrides },
    }),
  };
}

/** Licences in the order of their numbers on the wire, from 1. */
export const LICENSES = [
  "None",
  "Unlicense",
  "MIT",
  "GPL-2.0",
  "GPL-3.0",
  "LGPL-2.1",
  "LGPL-3.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "MPL-2.0",
  "OSL-3.0",
  "Apache-2.0",
  "AGPL-3.0",
  "BSL 1.1",
];

/** Presents the record in Etherscan's dialect, with all keys even without a source. */
function presentForEtherscan({
  contract,
  implementations,
}: SourceAnswer): z.output<typeof etherscan> {
  const optimized = contract && isOptimized(contract);
  const { compilerVersion = "", license } = contract ?? {};
  return {
    SourceCode: contract ? joinSource(contract) : "",
    ABI: contract?.abi ?? NOT_VERIFIED,
    ContractName: contract?.contractName ?? "",
    // `vyper:0.3.10` instead of `v0.3.10+commit.91361694`.
    CompilerVersion:
      contract?.language === "Vyper"
        ? compilerVersion.replace(/^v?/, "vyper:").replace(/\+.*$/, "")
        : compilerVersion,
    OptimizationUsed: optimized === undefined ? "" : optimized ? "1" : "0",
    Runs: optimized === undefined ? "" : String((optimized && contract?.optimizerRuns) || 0),
    ConstructorArguments: contract?.constructorArguments?.slice(2) ?? "",
    EVMVersion: contract?.evmVersion ?? "Default",
    Library: (contract?.libraries ?? [])
      .map(({ name, address }) => `${name}:${address.slice(2)}`)
      .join(";"),
    LicenseType:
      license === undefined ? "Unknown" : license === null ? "" : (LICENSES[license - 1] ?? "None"),
    Proxy: contract && implementations.length > 0 ? "1" : "0",
    Implementation: (contract && implementations[0]) ?? "",
    SwarmSource: contract?.metadataUri ?? "",
    SimilarMatch: "",
  };
}

function findMainSource({ sources, filePath }: VerifiedContract): string {
  return sources.find(({ path }) => path === filePath)?.text ?? "";
}

/** Returns the text of one file, or the compiler's whole input in an extra pair of braces, by which clients recognise it. */
function joinSource(contract: VerifiedContract): string {
  if (isSingleFile(contract)) return findMainSource(contract);
  const files = contract.sources.map(({ path, text }) => [path, { content: text }]);
  const input = {
    language: contract.language,
    sources: Object.fromEntries(files),
    ...JSON.parse(contract.furtherInput),
    settings: JSON.parse(contract.settings),
  };
  return `{${JSON.stringify(input)}}`;
}

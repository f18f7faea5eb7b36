import { getAddress } from "viem/utils";
import type { Address } from "../../core/evm/address.ts";
import { isRecord } from "../../core/json/record.ts";
import type { Queryable } from "../../db/client.ts";
import { getDeploymentProof } from "../../store/contracts/verified/deployment-proofs.ts";
import {
  getDeployment,
  getLookupParts,
  type LookupPart,
  type LookupParts,
} from "../../store/contracts/verified/lookup.ts";
import { listSources, type SourceFile } from "../../store/contracts/verified/verified-contract.ts";
import { PageTooLarge } from "../../store/lists/large-pages.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { ProxyReader } from "../../verification/proxies/proxy.ts";
import { hashSignatures, readAbi } from "../abi/abi.ts";
import { invalid } from "./endpoint.ts";
import {
  presentCreationCode,
  presentEvm,
  presentProxy,
  presentRuntimeCode,
  readProxy,
} from "./present.ts";

type Part = LookupPart | "sources";

/** A field of a verified contract beyond the minimal object. */
interface FieldOf {
  /** The names below it that can be chosen alone. */
  names?: readonly string[];
  /** The stored parts; `sources` are the source texts. */
  needs: readonly Part[];
  present(lookup: Lookup, address: Address, chain: ProxyReader): unknown;
}

const OUTPUTS = ["userdoc", "devdoc", "storageLayout", "transientStorageLayout"];
const CODES = ["compilation", "codeHash", "creationSourceMap", "runtimeSourceMap"] as const;
const CODE_NAMES =
  "onchainBytecode recompiledBytecode sourceMap linkReferences cborAuxdata transformations transformationValues".split(
    " ",
  );

/** Every field. Older rows lack the newer ones' data. */
const FIELDS: Readonly<Record<string, FieldOf>> = {
  abi: { needs: ["abi"], present: ({ found }) => JSON.parse(found.abi) },
  metadata: {
    needs: ["metadata", "language"],
    present: ({ found: { language, metadata } }) =>
      language === "Solidity" && metadata ? JSON.parse(metadata) : null,
  },
  sources: { needs: ["sources"], present: ({ sources }) => presentSources(sources) },
  compilation: {
    names: "language compiler compilerVersion compilerSettings name fullyQualifiedName".split(" "),
    needs: ["language", "compilerVersion", "settings", "contractName", "filePath"],
    present: ({ found: { language, compilerVersion, settings, contractName, filePath } }) => ({
      language,
      compiler: language === "Vyper" ? "vyper" : "solc",
      compilerVersion: compilerVersion.replace(/^v/, ""),
      compilerSettings: JSON.parse(settings),
      name: contractName,
      fullyQualifiedName: `${filePath}:${contractName}`,
    }),
  },
  deployment: {
    names: ["transactionHash", "blockNumber", "transactionIndex", "deployer"],
    needs: ["creationTransaction"],
    present: ({ deployment }) => ({
      transactionHash: deployment?.transactionHash ?? null,
      blockNumber: deployment ? String(deployment.blockNumber) : null,
      transactionIndex: deployment ? String(deployment.transactionIndex) : null,
      deployer: deployment ? getAddress(deployment.deployer) : null,
    }),
  },
  ...Object.fromEntries(
    OUTPUTS.map((name): [string, FieldOf] => [
      name,
      { needs: ["outputs"], present: ({ found }) => JSON.parse(found.outputs)[name] ?? null },
    ]),
  ),
  sourceIds: {
    needs: ["sourceIds"],
    present: ({ found }) => JSON.parse(found.sourceIds ?? "null"),
  },
  creationBytecode: {
    names: CODE_NAMES,
    needs: CODES,
    present: ({ found }) => presentCreationCode(found),
  },
  runtimeBytecode: {
    names: [...CODE_NAMES, "immutableReferences"],
    needs: CODES,
    present: ({ found }) => presentRuntimeCode(found),
  },
  stdJsonInput: {
    names: ["language", "sources", "interfaces", "storage_layout_overrides", "settings"],
    needs: ["language", "sources", "settings", "furtherInput"],
    present: ({ found, sources }) => ({
      language: found.language,
      sources: presentSources(sources),
      ...JSON.parse(found.furtherInput),
      settings: JSON.parse(found.settings),
    }),
  },
  stdJsonOutput: {
    names: ["sources", "contracts"],
    needs: [...CODES, "sourceIds", "abi", "metadata", "outputs", "filePath", "contractName"],
    present: ({ found }) => presentOutput(found),
  },
  signatures: {
    names: ["function", "event", "error"],
    needs: ["abi"],
    present: ({ found }) => presentSignatures(found.abi),
  },
  proxyResolution: {
    names: ["isProxy", "proxyType", "implementations"],
    needs: [],
    present: ({ proxy }, address, chain) => proxy && presentProxy(chain, address, proxy),
  },
  proof: {
    names: ["construction", "immutables", "values", "runtimeCode", "run", "names", "libraries"],
    needs: [],
    present: ({ proof }) => {
      const linked = proof?.libraries.map((one) => ({ ...one, address: getAddress(one.address) }));
      return proof ? { ...proof, libraries: linked } : null;
    },
  },
};

export const FIELD_NAMES = Object.keys(FIELDS);

/** The wanted names below each field; null for all. */
type Wanted = ReadonlyMap<string, ReadonlySet<string> | null>;

const MINIMAL = "match creationMatch runtimeMatch chainId address verifiedAt matchId".split(" ");

/** Parses `fields`, or all but those of `omit`. Throws `SourcifyError`. */
export function readFields(asked: string | undefined, omit: string | undefined): Wanted {
  if (asked !== undefined && omit !== undefined) {
    throw invalid("omit", "fields and omit cannot be used together");
  }
  const all = omit !== undefined || asked === "all";
  const wanted = new Map<string, ReadonlySet<string> | null>(
    all ? FIELD_NAMES.map((name) => [name, null]) : [],
  );
  for (const { field, below } of parseNames(omit, "omit")) {
    const names = wanted.get(field);
    if (below === undefined) wanted.delete(field);
    else if (names !== undefined) {
      const others = [...(names ?? FIELDS[field]?.names ?? [])].filter((name) => name !== below);
      wanted.set(field, new Set(others));
    }
  }
  for (const { field, below } of all ? [] : parseNames(asked, "fields")) {
    const names = wanted.get(field);
    if (below === undefined) wanted.set(field, null);
    else if (names !== null) wanted.set(field, new Set(names).add(below));
  }
  return wanted;
}

function parseNames(text: string | undefined, parameter: string) {
  const names = (text?.split(",") ?? []).filter((name) => !MINIMAL.includes(name));
  return names.map((name) => {
    const [field = "", below, ...more] = name.split(".");
    const known = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    const isKnown = below === undefined || known?.names?.includes(below);
    if (known && isKnown && more.length === 0) return { field, below };
    throw invalid(parameter, `${parameter}: there is no field ${name.slice(0, 100)}`);
  });
}

/** Returns the parts of the fields, each as often as fields contain it. */
export function listNeeds(wanted: Wanted): Part[] {
  return [...wanted.keys()].flatMap((field) => FIELDS[field]?.needs ?? []);
}

/** Reads the data of a verified contract's fields; `sql` must be the snapshot of its match. */
export async function readLookup(
  sql: Queryable,
  head: ServedHead,
  address: Address,
  wanted: Wanted,
) {
  const needs = [...new Set(listNeeds(wanted))];
  const parts = needs.filter((part) => part !== "sources");
  // Only the selected parts exist, and only they are read.
  const found = (await getLookupParts(sql, address, parts)) as LookupParts;
  const { creationTransaction } = found;
  return {
    found,
    sources: needs.includes("sources") ? await listSources(sql, address) : [],
    deployment: creationTransaction ? await getDeployment(sql, creationTransaction) : undefined,
    proxy: wanted.has("proxyResolution") ? await readProxy(sql, address, head) : undefined,
    proof: wanted.has("proof") ? await getDeploymentProof(sql, address) : undefined,
  };
}

type Lookup = Awaited<ReturnType<typeof readLookup>>;

/** Presents the fields, each with the wanted names only. */
export async function presentLookup(
  chain: ProxyReader,
  address: Address,
  wanted: Wanted,
  lookup: Lookup,
): Promise<Record<string, unknown>> {
  const presented: Record<string, unknown> = {};
  for (const [field, names] of wanted) {
    const value = await FIELDS[field]?.present(lookup, address, chain);
    const isCut = names !== null && isRecord(value);
    presented[field] = isCut
      ? Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))
      : value;
  }
  return presented;
}

/** Presents the sources. Any text may be a file's name. */
function presentSources(sources: readonly SourceFile[]) {
  return Object.fromEntries(sources.map(({ path, text }) => [path, { content: text }]));
}

function presentOutput(found: LookupParts) {
  const outputs = JSON.parse(found.outputs);
  const contract = {
    abi: JSON.parse(found.abi),
    metadata: found.metadata,
    ...Object.fromEntries(OUTPUTS.map((name) => [name, outputs[name] ?? null])),
    evm: presentEvm(found),
  };
  const contracts = [[found.filePath, Object.fromEntries([[found.contractName, contract]])]];
  return {
    ...(found.sourceIds !== null && { sources: JSON.parse(found.sourceIds) }),
    contracts: Object.fromEntries(contracts),
  };
}

/** Most characters of an ABI, the limit of new ones. */
const MAXIMUM_ABI = 2_000_000;

async function presentSignatures(abi: string) {
  if (abi.length > MAXIMUM_ABI) throw new PageTooLarge();
  const signatures = { function: [] as object[], event: [] as object[], error: [] as object[] };
  for await (const { kind, signature, hash } of hashSignatures(readAbi(abi))) {
    signatures[kind].push({ signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) });
  }
  return signatures;
}

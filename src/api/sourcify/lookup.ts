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
import { presentCreationCode, presentEvm, presentRuntimeCode } from "./codes.ts";
import { type Field, pick, type Wanted } from "./fields.ts";
import { presentProxy, readProxy } from "./proxy.ts";

const CODES = ["compilation", "codeHash", "creationSourceMap", "runtimeSourceMap"] as const;

/** The stored parts of each field; `sources` are the source texts. */
const NEEDS: Readonly<Record<Field, readonly (LookupPart | "sources")[]>> = {
  abi: ["abi"],
  metadata: ["metadata", "language"],
  sources: ["sources"],
  compilation: ["language", "compilerVersion", "settings", "contractName", "filePath"],
  deployment: ["creationTransaction"],
  userdoc: ["outputs"],
  devdoc: ["outputs"],
  storageLayout: ["outputs"],
  transientStorageLayout: ["outputs"],
  sourceIds: ["sourceIds"],
  creationBytecode: CODES,
  runtimeBytecode: CODES,
  stdJsonInput: ["language", "sources", "settings", "furtherInput"],
  stdJsonOutput: [...CODES, "sourceIds", "abi", "metadata", "outputs", "filePath", "contractName"],
  signatures: ["abi"],
  proxyResolution: [],
  proof: [],
};

/** Returns the parts of the fields, with the number of fields that contain each. */
export function needsOf(wanted: Wanted): Map<LookupPart | "sources", number> {
  const needs = new Map<LookupPart | "sources", number>();
  for (const part of [...wanted.keys()].flatMap((field) => NEEDS[field])) {
    needs.set(part, (needs.get(part) ?? 0) + 1);
  }
  return needs;
}

/** Reads the data of a verified contract's fields; `sql` must be the snapshot of its match. */
export async function readLookup(
  sql: Queryable,
  head: ServedHead,
  address: Address,
  wanted: Wanted,
) {
  const needs = [...needsOf(wanted).keys()];
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

/** Presents the fields. Older rows lack the newer ones' fields. */
export async function presentLookup(
  chain: ProxyReader,
  address: Address,
  wanted: Wanted,
  lookup: Lookup,
): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [field, names] of wanted) {
    const value = await presentField(field, chain, address, lookup);
    fields[field] = isRecord(value) ? pick(value, names) : value;
  }
  return fields;
}

async function presentField(
  field: Field,
  chain: ProxyReader,
  address: Address,
  { found, sources, deployment, proxy, proof }: Lookup,
): Promise<unknown> {
  switch (field) {
    case "abi":
      return JSON.parse(found.abi);
    case "metadata":
      return found.language === "Solidity" && found.metadata ? JSON.parse(found.metadata) : null;
    case "sources":
      return presentSources(sources);
    case "compilation":
      return presentCompilation(found);
    case "deployment":
      return {
        transactionHash: deployment?.transactionHash ?? null,
        blockNumber: deployment ? String(deployment.blockNumber) : null,
        transactionIndex: deployment ? String(deployment.transactionIndex) : null,
        deployer: deployment ? getAddress(deployment.deployer) : null,
      };
    case "userdoc":
    case "devdoc":
    case "storageLayout":
    case "transientStorageLayout":
      return parseOutputs(found)[field] ?? null;
    case "sourceIds":
      return found.sourceIds === null ? null : JSON.parse(found.sourceIds);
    case "creationBytecode":
      return presentCreationCode(found);
    case "runtimeBytecode":
      return presentRuntimeCode(found);
    case "stdJsonInput":
      return {
        language: found.language,
        sources: presentSources(sources),
        ...JSON.parse(found.furtherInput),
        settings: JSON.parse(found.settings),
      };
    case "stdJsonOutput":
      return presentOutput(found);
    case "signatures":
      return presentSignatures(found.abi);
    case "proxyResolution":
      return proxy && presentProxy(chain, address, proxy);
    case "proof":
      return proof
        ? {
            ...proof,
            libraries: proof.libraries.map((library) => ({
              ...library,
              address: getAddress(library.address),
            })),
          }
        : null;
  }
}

/** Presents the sources. Any text may be a file's name. */
function presentSources(sources: readonly SourceFile[]) {
  return Object.fromEntries(sources.map(({ path, text }) => [path, { content: text }]));
}

function presentCompilation(found: LookupParts) {
  const { language, compilerVersion, settings, contractName, filePath } = found;
  return {
    language,
    compiler: language === "Vyper" ? "vyper" : "solc",
    compilerVersion: compilerVersion.replace(/^v/, ""),
    compilerSettings: JSON.parse(settings),
    name: contractName,
    fullyQualifiedName: `${filePath}:${contractName}`,
  };
}

function parseOutputs({ outputs }: LookupParts): Record<string, unknown> {
  return JSON.parse(outputs) as Record<string, unknown>;
}

function presentOutput(found: LookupParts) {
  const outputs = parseOutputs(found);
  const contract = {
    abi: JSON.parse(found.abi),
    metadata: found.metadata,
    userdoc: outputs["userdoc"] ?? null,
    devdoc: outputs["devdoc"] ?? null,
    storageLayout: outputs["storageLayout"] ?? null,
    transientStorageLayout: outputs["transientStorageLayout"] ?? null,
    evm: presentEvm(found),
  };
  return {
    ...(found.sourceIds !== null && { sources: JSON.parse(found.sourceIds) }),
    contracts: Object.fromEntries([
      [found.filePath, Object.fromEntries([[found.contractName, contract]])],
    ]),
  };
}

/** Most characters of an ABI, the limit of new ones. */
const MAXIMUM_ABI = 2_000_000;

/** Presents the signatures of an ABI by kind, with their hashes. Throws `PageTooLarge`. */
async function presentSignatures(abi: string) {
  if (abi.length > MAXIMUM_ABI) throw new PageTooLarge();
  const signatures = { function: [] as object[], event: [] as object[], error: [] as object[] };
  for await (const { kind, signature, hash } of hashSignatures(readAbi(abi))) {
    signatures[kind].push({ signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) });
  }
  return signatures;
}

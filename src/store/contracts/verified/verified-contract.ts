import { createHash } from "node:crypto";
import type { Address } from "../../../core/evm/address.ts";
import { type Hex, hexFromBytes, hexToBytes } from "../../../core/evm/hex.ts";
import {
  type Fragment,
  firstValue,
  hasRows,
  type Queryable,
  snakeCased,
  type Transaction,
  tableOf,
} from "../../../db/client.ts";
import { getBlockReference } from "../../blocks/blocks.ts";
import { getCreationFacts } from "../creations.ts";
import type { DeploymentProof } from "./deployment-proofs.ts";

/** `full`: the metadata hash matches too, which proves sources and settings. `partial`: only the code matches. */
export type MatchQuality = "full" | "partial";

/** Source text of one file. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Results of the compiler and the comparison; texts are JSON unless the name says otherwise. */
export interface VerifiedFacts {
  language: string;
  /** The form of the request: `flattened`, `standard-json`, `metadata-files`, `vyper`, `vyper-json`. */
  format: string;
  /** `v0.8.20+commit.a1b79de6`. */
  compilerVersion: string;
  /** Null: the compiler's default. */
  evmVersion: string | null;
  /** Null when the settings lack it. */
  optimizerEnabled: boolean | null;
  optimizerRuns: number | null;
  /** 1 to 14; null when none was given. */
  license: number | null;
  filePath: string;
  contractName: string;
  /** Addresses linked into the code, by plain library name. */
  libraries: readonly { name: string; address: Address }[];
  /** Null when the creation code is not known to match; `0x` for none. */
  constructorArguments: Hex | null;
  /** JSON without blanks. */
  abi: string;
  /** The compiler's metadata text; empty when it has none. */
  metadata: string;
  /** `ipfs://…`, `bzzr://…`; empty when the code names none. */
  metadataUri: string;
  /** devdoc, userdoc, storageLayout, transientStorageLayout, methodIdentifiers. */
  outputs: string;
  /** `transfer(address to, uint256 amount)` by selector of 8 hex digits. */
  methods: Readonly<Record<string, string>>;
  /** Further compiler input: `interfaces` and `storage_layout_overrides` of vyper. */
  furtherInput: string;
  /** Numbers of the files in the source maps: `{path: {"id"}}`. */
  sourceIds: string;
  /** Compressed, as the compiler writes them; null without one. */
  creationSourceMap: string | null;
  runtimeSourceMap: string | null;
  /** Null when the runtime code did not match. */
  fingerprint: { length: number; hash: Hex; mask: readonly (readonly [number, number])[] } | null;
  /** Read by `getDeploymentProof`. */
  proof: DeploymentProof;
}

/** The stored row of a verified contract. */
export interface VerifiedContractRow extends VerifiedFacts {
  address: Address;
  codeHash: Hex;
  creationTransaction: Hex | null;
  /** SHA-256 of the init code, arguments included; null when unknown. */
  creationCodeHash: Hex | null;
  blockNumber: number;
  blockHash: Hex;
  runtimeMatch: MatchQuality | null;
  creationMatch: MatchQuality | null;
  settings: string;
  compilation: string;
}

/** A verified contract in an answer. */
export interface VerifiedContract
  extends Omit<
    VerifiedContractRow,
    | "methods"
    | "outputs"
    | "compilation"
    | "creationCodeHash"
    | "sourceIds"
    | "creationSourceMap"
    | "runtimeSourceMap"
    | "fingerprint"
    | "proof"
  > {
  verifiedAtSeconds: number;
  sources: SourceFile[];
}

/** Returns the rank of a match: full above partial, both codes above one. */
function matchRank(row: Pick<VerifiedContractRow, "runtimeMatch" | "creationMatch">): number {
  const matches = [row.runtimeMatch, row.creationMatch].filter((match) => match !== null);
  return (matches.includes("full") ? 2 : 0) + matches.length;
}

/** An arbitrary constant, the same in every process. */
const MATCH_ORDER_LOCK = 7_220_415_011;

/** Stores a match unless an equal or better one of the same code exists. Returns `other` if the existing one has other texts. */
export async function saveVerifiedContract(
  sql: Transaction,
  row: VerifiedContractRow,
  sources: readonly SourceFile[],
): Promise<"stored" | "kept" | "other"> {
  const hashed = sources.map(({ path, text }) => {
    const bytes = Buffer.from(text, "utf8");
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { path, text: hexFromBytes(bytes), hash };
  });
  const files = JSON.stringify(hashed.map(({ path, hash }) => ({ path, hash })));
  const [current] = await sql<
    (Pick<VerifiedContractRow, "codeHash" | "runtimeMatch" | "creationMatch"> &
      Record<"isSame" | "isNotRun", boolean>)[]
  >`
    SELECT code_hash, runtime_match, creation_match, (contract_name, file_path, sources::jsonb)
      = (${row.contractName}, ${row.filePath}, ${files}::text::jsonb) AS is_same,
      proof::jsonb #>> '{run,outcome}' = 'not-run' AS is_not_run
    FROM valid_verified_contracts WHERE address = ${row.address}`;
  if (current?.codeHash === row.codeHash) {
    const isBetterProven = current.isNotRun && row.proof.run?.outcome === "equal";
    // From rank 3 on a match is full.
    const isFull = matchRank(current) >= 3;
    if (isFull || (matchRank(current) >= matchRank(row) && !isBetterProven)) {
      return current.isSame ? "kept" : "other";
    }
  }
  if (current && !(await isOfServedChain(sql, row))) return "kept";
  await sql`
    INSERT INTO source_texts (hash, text)
    SELECT DISTINCT decode(hash, 'hex'), text
    FROM ${tableOf(sql, "sent", hashed, { hash: "text", text: "bytea" })}
    ON CONFLICT (hash) DO NOTHING`;
  const { fingerprint, ...texts } = row;
  const columns = {
    ...texts,
    verifiedAt: new Date(),
    sources: files,
    libraries: JSON.stringify(row.libraries),
    methods: sql.json(row.methods),
    proof: JSON.stringify(row.proof),
    runtimeLength: fingerprint?.length ?? null,
    blankedHash: fingerprint?.hash ?? null,
    mask: fingerprint && JSON.stringify(fingerprint.mask),
  };
  const inSnakeCase = Object.entries(columns).map(([name, value]) => [snakeCased(name), value]);
  // match_id must grow in the order of visibility, so that a reader who continues from the last id misses none.
  await sql`SELECT pg_advisory_xact_lock(${MATCH_ORDER_LOCK})`;
  await sql`DELETE FROM verified_contracts WHERE address = ${row.address}`;
  await sql`INSERT INTO verified_contracts ${sql(Object.fromEntries(inSnakeCase))}`;
  return "stored";
}

/** Returns whether the creation of the code is the last one at its address; without one, whether its block is still canonical. */
async function isOfServedChain(
  sql: Queryable,
  { address, creationTransaction, blockNumber, blockHash }: VerifiedContractRow,
): Promise<boolean> {
  if (creationTransaction === null) {
    return (await getBlockReference(sql, blockNumber))?.hash === blockHash;
  }
  return (await getCreationFacts(sql, address))?.transactionHash === creationTransaction;
}

/** Returns whether the code at the address is fully matched, by the index alone. */
export function isFullyVerified(sql: Queryable, address: Address) {
  return hasRows(sql`
    SELECT 1 FROM valid_verified_contracts
    WHERE address = ${address} AND (runtime_match = 'full' OR creation_match = 'full')`);
}

/** Returns the ABI as JSON text; undefined when the present code at the address is not verified. */
export function getVerifiedAbi(sql: Queryable, address: Address) {
  return firstValue(sql<{ abi: string }[]>`
    SELECT abi FROM valid_verified_contracts WHERE address = ${address}`);
}

/** Returns the bytes of the source texts of the verified contract `v`, and of their paths, as SQL. */
export function sourceBytes(sql: Queryable): Fragment {
  return sql`(
    SELECT octet_length(v.sources) + coalesce(sum(octet_length(t.text)), 0)::int8
    FROM jsonb_array_elements(v.sources::jsonb) AS source (entry)
    JOIN source_texts t ON t.hash = decode(source.entry ->> 'hash', 'hex'))`;
}

/** Returns all public fields of a verified contract; undefined when the present code there is not verified. `sql` must be a snapshot. */
export async function getVerifiedContract(sql: Queryable, address: Address) {
  const [row] = await sql<
    (Omit<VerifiedContract, "sources" | "libraries"> & { libraries: string })[]
  >`
    SELECT address, extract(epoch FROM verified_at)::int8 AS verified_at_seconds, code_hash,
      creation_transaction, block_number, block_hash, runtime_match, creation_match, language,
      format, compiler_version, evm_version, optimizer_enabled, optimizer_runs, license, file_path,
      contract_name, settings, further_input, libraries, constructor_arguments, abi, metadata,
      metadata_uri
    FROM valid_verified_contracts WHERE address = ${address}`;
  if (row === undefined) return undefined;
  return {
    ...row,
    libraries: JSON.parse(row.libraries) as VerifiedContract["libraries"],
    sources: await listSources(sql, address),
  };
}

/** Returns the source texts of a verified contract in their original order; `sql` must be its snapshot. */
export async function listSources(sql: Queryable, address: Address): Promise<SourceFile[]> {
  const rows = await sql<{ path: string; text: Hex }[]>`
    SELECT source.entry ->> 'path' AS path, t.text
    FROM verified_contracts v
    CROSS JOIN LATERAL jsonb_array_elements(v.sources::jsonb) WITH ORDINALITY AS source (entry, place)
    JOIN source_texts t ON t.hash = decode(source.entry ->> 'hash', 'hex')
    WHERE v.address = ${address}
    ORDER BY source.place`;
  return rows.map(({ path, text }) => ({ path, text: hexToBytes(text).toString("utf8") }));
}

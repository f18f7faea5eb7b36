import { createHash } from "node:crypto";
import type { Address } from "../core/address.ts";
import { type Hex, hexFromBytes, hexToBytes } from "../core/hex.ts";
import type { Queryable, Transaction } from "../db/client.ts";
import type { PageRange } from "./page.ts";

/** `full`: sources and settings are exactly those of the deployment. `partial`: they make the same code. */
export type MatchQuality = "full" | "partial";

export interface SourceText {
  path: string;
  text: string;
}

/** What is kept of a verified contract; texts are JSON where the name does not tell otherwise. */
export interface VerifiedContractRow {
  address: Address;
  codeHash: Hex;
  creationTransaction: Hex | null;
  blockNumber: number;
  blockHash: Hex;
  runtimeMatch: MatchQuality | null;
  creationMatch: MatchQuality | null;
  /** `Solidity`, `Yul`, `Vyper`. */
  language: string;
  /** The form of the request: `flattened`, `standard-json`, `metadata-files`, `vyper`, `vyper-json`. */
  format: string;
  /** `v0.8.20+commit.a1b79de6`. */
  compilerVersion: string;
  /** Null: the compiler's default. */
  evmVersion: string | null;
  /** Null: the settings do not speak of it. */
  optimizerEnabled: boolean | null;
  optimizerRuns: number | null;
  /** 1 to 14; null when none was given. */
  license: number | null;
  /** Of the main file. */
  filePath: string;
  contractName: string;
  settings: string;
  libraries: readonly { name: string; address: Address }[];
  /** Null when the creation code is not known to match; `0x` for none. */
  constructorArguments: Hex | null;
  /** Without blanks. */
  abi: string;
  metadata: string;
  /** `ipfs://…`, `bzzr://…`; empty when the code names none. */
  metadataUri: string;
  outputs: string;
  /** `transfer(address to, uint256 amount)` by selector of 8 hex digits. */
  methods: Readonly<Record<string, string>>;
  compilation: string;
  fingerprint: { length: number; hash: Hex; mask: readonly (readonly [number, number])[] } | null;
}

/** A verified contract as it is answered. */
export interface VerifiedContract
  extends Omit<VerifiedContractRow, "methods" | "outputs" | "compilation" | "fingerprint"> {
  verifiedAtSeconds: number;
  /** In the order they were sent, the main file among them. */
  sources: SourceText[];
}

/** What a list tells of a verified contract. */
export interface VerifiedSummary {
  address: Address;
  abi: string;
  contractName: string;
  language: string;
  compilerVersion: string;
  /** Null: the settings do not speak of it. */
  optimizerEnabled: boolean | null;
}

/** Rank of a match: full before partial, both codes before one of them. */
function rankOf(row: {
  runtimeMatch: MatchQuality | null;
  creationMatch: MatchQuality | null;
}): number {
  const matches = [row.runtimeMatch, row.creationMatch].filter((match) => match !== null);
  return (matches.includes("full") ? 2 : 0) + matches.length;
}

/**
 * Stores what was proven of the code at an address, unless what is stored for the same code is as good. A full match is
 * never replaced. Tells whether it was stored.
 */
export async function saveVerifiedContract(
  sql: Transaction,
  row: VerifiedContractRow,
  sources: readonly SourceText[],
): Promise<boolean> {
  const [current] = await sql<Pick<VerifiedContractRow, "runtimeMatch" | "creationMatch">[]>`
    SELECT runtime_match AS "runtimeMatch", creation_match AS "creationMatch"
    FROM valid_verified_contracts WHERE address = ${row.address}`;
  if (current && (isFull(current) || rankOf(current) >= rankOf(row))) return false;
  const hashed = sources.map(({ path, text }) => {
    const bytes = Buffer.from(text, "utf8");
    return { path, bytes, hash: createHash("sha256").update(bytes).digest("hex") };
  });
  await sql`
    INSERT INTO source_texts (hash, text)
    SELECT DISTINCT hash, text FROM unnest(
      ${hashed.map(({ hash }): Hex => `0x${hash}`)}::bytea[],
      ${hashed.map(({ bytes }) => hexFromBytes(bytes))}::bytea[]
    ) AS sent (hash, text)
    ON CONFLICT (hash) DO NOTHING`;
  const columns = {
    address: row.address,
    verified_at: new Date(),
    code_hash: row.codeHash,
    creation_transaction: row.creationTransaction,
    block_number: row.blockNumber,
    block_hash: row.blockHash,
    runtime_match: row.runtimeMatch,
    creation_match: row.creationMatch,
    language: row.language,
    format: row.format,
    compiler_version: row.compilerVersion,
    evm_version: row.evmVersion,
    optimizer_enabled: row.optimizerEnabled,
    optimizer_runs: row.optimizerRuns,
    license: row.license,
    file_path: row.filePath,
    contract_name: row.contractName,
    sources: JSON.stringify(hashed.map(({ path, hash }) => ({ path, hash }))),
    settings: row.settings,
    libraries: JSON.stringify(row.libraries),
    constructor_arguments: row.constructorArguments,
    abi: row.abi,
    metadata: row.metadata,
    metadata_uri: row.metadataUri,
    outputs: row.outputs,
    methods: sql.json(row.methods),
    compilation: row.compilation,
    runtime_length: row.fingerprint?.length ?? null,
    blanked_hash: row.fingerprint?.hash ?? null,
    mask: row.fingerprint && JSON.stringify(row.fingerprint.mask),
  };
  await sql`DELETE FROM verified_contracts WHERE address = ${row.address}`;
  await sql`INSERT INTO verified_contracts ${sql(columns)}`;
  return true;
}

function isFull(row: { runtimeMatch: string | null; creationMatch: string | null }): boolean {
  return row.runtimeMatch === "full" || row.creationMatch === "full";
}

/** Whether the code that stands at the address now is fully matched. */
export async function isFullyVerified(sql: Queryable, address: Address): Promise<boolean> {
  const [row] = await sql`
    SELECT FROM valid_verified_contracts
    WHERE address = ${address} AND (runtime_match = 'full' OR creation_match = 'full')`;
  return row !== undefined;
}

/** ABI as JSON text; undefined when the code that stands at the address now is not verified. */
export async function getVerifiedAbi(
  sql: Queryable,
  address: Address,
): Promise<string | undefined> {
  const [row] = await sql<{ abi: string }[]>`
    SELECT abi FROM valid_verified_contracts WHERE address = ${address}`;
  return row?.abi;
}

/** Everything that is answered of a verified contract; undefined when the code that stands there now is not verified. */
export async function getVerifiedContract(
  sql: Queryable,
  address: Address,
): Promise<VerifiedContract | undefined> {
  type Row = Omit<VerifiedContract, "sources" | "libraries"> & {
    sources: string;
    libraries: string;
  };
  const [row] = await sql<Row[]>`
    SELECT address, extract(epoch FROM verified_at)::int8 AS "verifiedAtSeconds", code_hash AS "codeHash",
      creation_transaction AS "creationTransaction", block_number AS "blockNumber", block_hash AS "blockHash",
      runtime_match AS "runtimeMatch", creation_match AS "creationMatch", language, format,
      compiler_version AS "compilerVersion", evm_version AS "evmVersion",
      optimizer_enabled AS "optimizerEnabled", optimizer_runs AS "optimizerRuns", license,
      file_path AS "filePath", contract_name AS "contractName", sources, settings, libraries,
      constructor_arguments AS "constructorArguments", abi, metadata, metadata_uri AS "metadataUri"
    FROM valid_verified_contracts WHERE address = ${address}`;
  if (row === undefined) return undefined;
  const texts = await sql<{ path: string; text: Hex }[]>`
    SELECT source.entry ->> 'path' AS path, t.text
    FROM jsonb_array_elements(${row.sources}::text::jsonb) WITH ORDINALITY AS source (entry, place)
    JOIN source_texts t ON t.hash = decode(source.entry ->> 'hash', 'hex')
    ORDER BY source.place`;
  return {
    ...row,
    libraries: JSON.parse(row.libraries) as VerifiedContract["libraries"],
    sources: texts.map(({ path, text }) => ({ path, text: hexToBytes(text).toString("utf8") })),
  };
}

/** A page of the verified contracts by time of verification, ascending. Times in unix seconds, `before` exclusive. */
export async function listVerifiedContracts(
  sql: Queryable,
  { limit, skip }: PageRange,
  { from, before }: { from?: number | undefined; before?: number | undefined } = {},
): Promise<VerifiedSummary[]> {
  return sql<VerifiedSummary[]>`
    SELECT address, abi, contract_name AS "contractName", language,
      compiler_version AS "compilerVersion", optimizer_enabled AS "optimizerEnabled"
    FROM valid_verified_contracts
    WHERE verified_at >= to_timestamp(${from ?? 0}) AND verified_at < to_timestamp(${before ?? 1e11})
    ORDER BY verified_at, address
    LIMIT ${limit} OFFSET ${skip}`;
}

/** Summaries of those of the addresses that are verified. */
export async function listVerifiedSummaries(
  sql: Queryable,
  addresses: readonly Address[],
): Promise<VerifiedSummary[]> {
  return sql<VerifiedSummary[]>`
    SELECT address, abi, contract_name AS "contractName", language,
      compiler_version AS "compilerVersion", optimizer_enabled AS "optimizerEnabled"
    FROM valid_verified_contracts
    WHERE address = ANY (${[...addresses]}::bytea[])`;
}

/** A call by its callee and the selector in its data (`0x` and 8 hex digits). */
export interface CalledMethod {
  address: Address;
  selector: Hex;
}

/**
 * Names of called functions, `transfer(address to, uint256 amount)`, in the order of the calls: from the callee's
 * verified ABI, else from that of a contract it delegates to; null when neither knows the selector.
 */
export async function listMethodNames(
  sql: Queryable,
  calls: readonly CalledMethod[],
): Promise<(string | null)[]> {
  if (calls.length === 0) return [];
  const rows = await sql<{ name: string | null }[]>`
    SELECT coalesce(own.methods ->> called.selector, (
      SELECT v.methods ->> called.selector
      FROM valid_proxies p
      CROSS JOIN LATERAL jsonb_array_elements_text(p.implementations) AS i (address)
      JOIN valid_verified_contracts v ON v.address = decode(substr(i.address, 3), 'hex')
      WHERE p.address = called.address AND v.methods ? called.selector
      LIMIT 1)) AS name
    FROM unnest(
      ${calls.map(({ address }) => address)}::bytea[],
      ${calls.map(({ selector }) => selector.slice(2))}::text[]
    ) WITH ORDINALITY AS called (address, selector, place)
    LEFT JOIN valid_verified_contracts own ON own.address = called.address
    ORDER BY called.place`;
  return rows.map(({ name }) => name);
}

/** What is kept of a contract's creation. */
export interface CreationFacts {
  blockNumber: number;
  blockHash: Hex;
  transactionHash: Hex;
  /** Null without traces. */
  codeHash: Hex | null;
  /** Init code with the constructor's arguments. */
  creationCode: Hex;
}

/** The newest creation of an address in the published blocks. */
export async function getCreationFacts(
  sql: Queryable,
  address: Address,
): Promise<CreationFacts | undefined> {
  const [row] = await sql<CreationFacts[]>`
    SELECT c.block_number AS "blockNumber", b.hash AS "blockHash", t.hash AS "transactionHash",
      c.code_hash AS "codeHash", coalesce(i.input, t.input) AS "creationCode"
    FROM contracts c
    JOIN transactions t USING (block_number, transaction_index)
    JOIN blocks b ON b.number = c.block_number
    LEFT JOIN internal_transactions i ON i.block_number = c.block_number
      AND i.transaction_index = c.transaction_index AND i.position = c.position
    WHERE c.address = ${address} AND c.block_number <= (SELECT head_number FROM sync_state)
    ORDER BY c.block_number DESC, c.transaction_index DESC, c.position DESC
    LIMIT 1`;
  return row;
}

/** A verified contract whose code has the same length, and what to compare: equal hash means the same source. */
export interface SimilarCandidate {
  address: Address;
  hash: Hex;
  mask: [offset: number, length: number][];
}

/** Verified contracts with runtime code of that many bytes, in the order of their verification. */
export async function listSimilarCandidates(
  sql: Queryable,
  runtimeLength: number,
  limit: number,
): Promise<SimilarCandidate[]> {
  const rows = await sql<{ address: Address; hash: Hex; mask: string }[]>`
    SELECT address, blanked_hash AS hash, mask
    FROM valid_verified_contracts
    WHERE runtime_length = ${runtimeLength}
    ORDER BY verified_at, address
    LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, mask: JSON.parse(row.mask) as SimilarCandidate["mask"] }));
}

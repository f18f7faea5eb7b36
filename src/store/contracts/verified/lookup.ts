import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import {
  type Fragment,
  firstRow,
  firstValue,
  type Queryable,
  snakeCased,
} from "../../../db/client.ts";
import { direction, inPublishedBlocks, type Order } from "../../lists/page.ts";
import { type MatchQuality, sourceBytes } from "./verified-contract.ts";

/** Fields of a verified contract in every answer of Sourcify's API. */
export interface VerifiedMatch {
  address: Address;
  runtimeMatch: MatchQuality | null;
  creationMatch: MatchQuality | null;
  verifiedAtSeconds: number;
  /** Grows with every stored match. */
  matchId: number;
}

/** Parts of a verified contract, each read on demand; texts as in the table. */
export interface LookupParts {
  abi: string;
  metadata: string;
  language: string;
  compilerVersion: string;
  settings: string;
  furtherInput: string;
  contractName: string;
  filePath: string;
  outputs: string;
  compilation: string;
  codeHash: Hex;
  creationTransaction: Hex | null;
  /** Null for contracts stored before these; source maps also when the compiler has none. */
  sourceIds: string | null;
  creationSourceMap: string | null;
  runtimeSourceMap: string | null;
}

export type LookupPart = keyof LookupParts;

function match(sql: Queryable): Fragment {
  return sql`address, runtime_match, creation_match,
    extract(epoch FROM verified_at)::int8 AS verified_at_seconds, match_id`;
}

/** Returns a contract's match; undefined when the present code at the address is not verified. */
export async function getVerifiedMatch(sql: Queryable, address: Address) {
  return firstRow(sql<VerifiedMatch[]>`
    SELECT ${match(sql)} FROM valid_verified_contracts WHERE address = ${address}`);
}

/** Returns matches by their ids, after `after`. */
export function listVerifiedMatches(
  sql: Queryable,
  { after, limit, order }: { after?: number | undefined; limit: number; order: Order },
) {
  const isBeyond = order === "asc" ? sql`>` : sql`<`;
  const beyond = after === undefined ? sql`` : sql`WHERE match_id ${isBeyond} ${after}`;
  return sql<VerifiedMatch[]>`
    SELECT ${match(sql)} FROM valid_verified_contracts ${beyond}
    ORDER BY match_id ${direction(sql, order)} LIMIT ${limit}`;
}

/** Returns matches of the verified ones among the addresses, by their ids. */
export function listMatchesOf(sql: Queryable, addresses: readonly Address[]) {
  return sql<VerifiedMatch[]>`
    SELECT ${match(sql)} FROM valid_verified_contracts
    WHERE address = ANY (${[...addresses]}::bytea[]) ORDER BY match_id`;
}

/** A part of an answer; `sources` are the texts with their paths. */
type AnswerPart = LookupPart | "sources" | "libraries" | "constructorArguments";

/** The parts of `getVerifiedContract`. */
export const CONTRACT_PARTS: readonly AnswerPart[] = [
  ...(["abi", "settings", "furtherInput", "sources", "metadata"] as const),
  ...(["libraries", "constructorArguments"] as const),
];

/** Returns the bytes of an answer with each part as often as it is named; undefined when unverified. */
export function getLookupBytes(sql: Queryable, address: Address, parts: readonly AnswerPart[]) {
  const sizes = [...Map.groupBy(parts, (part) => part)].map(([part, { length: times }]) => {
    const size =
      part === "sources"
        ? sourceBytes(sql)
        : sql`coalesce(octet_length(v.${sql(snakeCased(part))}), 0)`;
    return sql`${times}::int8 * ${size}`;
  });
  const sum = sizes.reduce((all, size) => sql`${all} + ${size}`, sql`0::int8`);
  return firstValue(sql<{ bytes: number }[]>`
    SELECT ${sum} AS bytes FROM valid_verified_contracts v WHERE address = ${address}`);
}

/** Returns the parts of a verified contract; `sql` must be the snapshot of its match. */
export async function getLookupParts(
  sql: Queryable,
  address: Address,
  parts: readonly LookupPart[],
): Promise<Partial<LookupParts>> {
  if (parts.length === 0) return {};
  const [row] = await sql<Partial<LookupParts>[]>`
    SELECT ${sql(parts.map(snakeCased))} FROM verified_contracts WHERE address = ${address}`;
  return row ?? {};
}

/** The transaction that created a contract. */
export interface Deployment {
  transactionHash: Hex;
  blockNumber: number;
  transactionIndex: number;
  /** Sender of the transaction, even when a contract created the contract. */
  deployer: Address;
}

/** Returns the transaction of that hash in the published blocks. */
export function getDeployment(sql: Queryable, transactionHash: Hex) {
  return firstRow(sql<Deployment[]>`
    SELECT t.hash AS transaction_hash, t.block_number,
      t.transaction_index, t.from_address AS deployer
    FROM transaction_place(${transactionHash}) p
    CROSS JOIN LATERAL transaction_at(p.block_number, p.transaction_index) t
    WHERE ${inPublishedBlocks(sql, {}, "p.block_number")}`);
}

/** Returns the names of the verified ones among the addresses. */
export function listContractNames(sql: Queryable, addresses: readonly Address[]) {
  return sql<{ address: Address; name: string }[]>`
    SELECT address, contract_name AS name FROM valid_verified_contracts
    WHERE address = ANY (${[...addresses]}::bytea[])`;
}

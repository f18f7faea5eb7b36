import type { Address } from "../../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../../db/client.ts";
import { MAXIMUM_ANSWER, type PageRange, PageTooLarge } from "../../lists/large-pages.ts";
import { behindKey } from "../../lists/page.ts";
import type { VerifiedContractRow } from "./verified-contract.ts";

/** A verified contract in a list. */
export type VerifiedSummary = Pick<
  VerifiedContractRow,
  "address" | "abi" | "contractName" | "language" | "compilerVersion" | "optimizerEnabled"
> & { verifiedMicroseconds: number };

/** Lists verified contracts by time (unix seconds, `before` exclusive), ascending. Throws `PageTooLarge`. */
export async function listVerifiedContracts(
  sql: Queryable,
  page: PageRange,
  { from, before }: { from?: number | undefined; before?: number | undefined } = {},
): Promise<VerifiedSummary[]> {
  const key = { verified_at: "timestamptz", address: "bytea" } as const;
  return readSummaries(
    sql,
    sql`
      WHERE verified_at >= to_timestamp(${from ?? 0}) AND verified_at < to_timestamp(${before ?? 1e11})
        ${behindKey(sql, page, key, "asc")}
      ORDER BY verified_at, address
      LIMIT ${page.limit} OFFSET ${page.skip}`,
  );
}

/** Returns summaries of the verified ones among the addresses. Throws `PageTooLarge`. */
export async function listVerifiedSummaries(sql: Queryable, addresses: readonly Address[]) {
  return readSummaries(sql, sql`WHERE address = ANY (${[...addresses]}::bytea[])`);
}

/** Reads no ABI when all together exceed an answer's limit. */
async function readSummaries(sql: Queryable, which: Fragment): Promise<VerifiedSummary[]> {
  const rows = await sql<(Omit<VerifiedSummary, "abi"> & { abi: string | null })[]>`
    SELECT address, CASE WHEN sum(octet_length(abi)) OVER () <= ${MAXIMUM_ANSWER} THEN abi END AS abi,
      contract_name, language, compiler_version, optimizer_enabled,
      (extract(epoch FROM verified_at) * 1000000)::bigint AS verified_microseconds
    FROM (SELECT * FROM valid_verified_contracts ${which}) page
    ORDER BY verified_at, address`;
  return rows.map(({ abi, ...summary }) => {
    if (abi === null) throw new PageTooLarge();
    return { ...summary, abi };
  });
}

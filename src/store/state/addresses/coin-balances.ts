import type { Address } from "../../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../../db/client.ts";
import type { PageRange } from "../../lists/large-pages.ts";
import { behindKey, inPublishedBlocks } from "../../lists/page.ts";
import { areBalancesFollowed } from "./fee-payments.ts";

/** An account in the index. */
export interface CoinAccount {
  address: Address;
  /** False for an address outside the index. */
  known: boolean;
  /** In wei; null where only the node has it: unknown, touched since the last read, or not followed. */
  balance: string | null;
}

/** Returns accounts of the addresses, in their order. */
export function listCoinAccounts(sql: Queryable, addresses: readonly Address[]) {
  // In a nested SELECT the list's length is unknown, so PostgreSQL reuses the plan.
  return sql<CoinAccount[]>`
    SELECT asked.address, a.address IS NOT NULL AS known, ${exactBalance(sql)} AS balance
    FROM unnest((SELECT ${[...addresses]}::bytea[])) WITH ORDINALITY AS asked (address, place)
    LEFT JOIN addresses a USING (address)
    ORDER BY asked.place`;
}

/** Returns known accounts in the order of their first appearance. */
export function listCoinAccountsByAge(sql: Queryable, page: PageRange) {
  const key = { first_block: "bigint", address: "bytea" } as const;
  return sql<(CoinAccount & { firstBlock: number })[]>`
    SELECT page.first_block, page.address, true AS known, ${exactBalance(sql)} AS balance
    FROM (
      SELECT first_block, address FROM addresses
      WHERE ${inPublishedBlocks(sql, {}, "first_block")} ${behindKey(sql, page, key, "asc")}
      ORDER BY first_block, address
      LIMIT ${page.limit} OFFSET ${page.skip}
    ) page
    CROSS JOIN LATERAL (
      SELECT balance, balance_block FROM addresses WHERE address = page.address LIMIT 1
    ) a
    ORDER BY page.first_block, page.address`;
}

function exactBalance(sql: Queryable): Fragment {
  return sql`CASE WHEN a.balance_block IS NOT NULL AND ${areBalancesFollowed(sql)} THEN a.balance END`;
}

/** Returns coin balances in wei that need no node, of up to `limit` addresses, from an address on. */
export async function listCoinBalancesFrom(sql: Queryable, from: Address, limit: number) {
  return sql<{ address: Address; balance: string }[]>`
    SELECT address, balance FROM addresses
    WHERE address >= ${from} AND balance_block IS NOT NULL AND ${areBalancesFollowed(sql)}
    ORDER BY address LIMIT ${limit}`;
}

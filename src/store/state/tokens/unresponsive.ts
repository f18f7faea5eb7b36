import type { Address } from "../../../core/evm/address.ts";
import type { Queryable, Transaction } from "../../../db/client.ts";

/** Returns the unresponsive tokens. */
export async function listUnresponsiveTokens(sql: Queryable): Promise<Address[]> {
  const rows = await sql<{ address: Address }[]>`SELECT address FROM tokens WHERE unresponsive`;
  return rows.map(({ address }) => address);
}

/** Stores whether tokens are unresponsive. */
export async function noteUnresponsive(
  sql: Transaction,
  addresses: readonly Address[],
  isUnresponsive: boolean,
): Promise<void> {
  await sql`
    UPDATE tokens SET unresponsive = ${isUnresponsive}
    WHERE address = ANY (${[...addresses]}::bytea[]) AND unresponsive <> ${isUnresponsive}`;
}

import type { Address } from "../../../core/evm/address.ts";
import { pluck, type Queryable, type Transaction } from "../../../db/client.ts";

/** Returns the unresponsive tokens. */
export function listUnresponsiveTokens(sql: Queryable) {
  return pluck(sql<{ address: Address }[]>`SELECT address FROM tokens WHERE unresponsive`);
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

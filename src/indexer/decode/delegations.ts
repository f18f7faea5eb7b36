import { readAuthorizations } from "../../core/evm/authorization.ts";
import { isRecord, listOf } from "../../core/json/record.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";

/** Transactions with authorizations (EIP-7702). */
const TYPE = 4;

/** Returns the authorizations of transactions, each with its place. */
export function listAuthorizations(
  transactions: readonly Pick<
    ChainRows["transactions"][number],
    "type" | "blockNumber" | "transactionIndex" | "extra"
  >[],
) {
  return transactions.flatMap(({ type, blockNumber, transactionIndex, extra }) => {
    const fields: unknown = type === TYPE && extra !== null ? JSON.parse(extra) : null;
    const list = isRecord(fields) ? listOf(fields["authorizationList"]) : [];
    return list.map((signed, position) => ({ signed, blockNumber, transactionIndex, position }));
  });
}

/** Returns the delegations of authorizations. Recovering the account of each takes a millisecond. */
export async function decodeDelegations(
  authorizations: ReturnType<typeof listAuthorizations>,
  chainId: number,
): Promise<ChainRows["delegations"]> {
  const rows = authorizations.map(async ({ signed, ...place }) => {
    const [read] = await readAuthorizations([signed], chainId, 1);
    if (!read?.valid || read.authority === null) return [];
    return [{ authority: read.authority, ...place, delegate: read.address, nonce: read.nonce }];
  });
  return (await Promise.all(rows)).flat();
}

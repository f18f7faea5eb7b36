import { readAuthorizations } from "../../core/evm/authorization.ts";
import { isRecord } from "../../core/json/record.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";

/** Transactions with authorizations (EIP-7702). */
const TYPE = 4;

/** Returns the delegations of at most `limit` authorizations. Recovering the account of each takes a millisecond. */
export async function decodeDelegations(
  transactions: readonly Pick<
    ChainRows["transactions"][number],
    "type" | "blockNumber" | "transactionIndex" | "extra"
  >[],
  chainId: number,
  limit: number,
): Promise<ChainRows["delegations"]> {
  const rows: ChainRows["delegations"] = [];
  let rest = limit;
  for (const { type, blockNumber, transactionIndex, extra } of transactions) {
    if (type !== TYPE || extra === null || rest <= 0) continue;
    const fields: unknown = JSON.parse(extra);
    const list = isRecord(fields) ? fields["authorizationList"] : undefined;
    const read = await readAuthorizations(list, chainId, rest);
    rest -= read.length;
    for (const [position, { authority, address, nonce, valid }] of read.entries()) {
      if (!valid || authority === null) continue;
      const place = { blockNumber, transactionIndex, position };
      rows.push({ authority, ...place, delegate: address, nonce });
    }
  }
  return rows;
}

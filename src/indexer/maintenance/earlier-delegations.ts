import { listUnreadAuthorizing, writeDelegations } from "../../store/lists/delegations.ts";
import { writeAs } from "../../store/writer/writer.ts";
import type { Sync } from "../context.ts";
import { decodeDelegations } from "../decode/delegations.ts";

/** A head must not wait long for older blocks. */
const STEP_MS = 200;

/** Stores the delegations of blocks that were recorded without all of them, oldest first, one step a call. */
export async function readEarlierDelegations({ writer, identity }: Sync): Promise<"read" | "none"> {
  const end = performance.now() + STEP_MS;
  do {
    const transactions = await listUnreadAuthorizing(writer.sql);
    const [first] = transactions;
    if (!first) return "none";
    const rows = await decodeDelegations(transactions, identity.chainId, Number.POSITIVE_INFINITY);
    await writeAs(writer, (transaction) => writeDelegations(transaction, first.blockNumber, rows));
  } while (performance.now() < end);
  return "read";
}

import { listUnreadAuthorizing, writeDelegations } from "../../store/lists/delegations.ts";
import { writeAs } from "../../store/writer/writer.ts";
import type { Sync } from "../context.ts";
import { decodeDelegations, listAuthorizations } from "../decode/delegations.ts";

/** A head must not wait long for older blocks. */
const STEP_MS = 200;
/** Authorizations whose signers are recovered without a look at the time. */
const PART = 64;

/** Creates the step that stores the delegations of blocks that were recorded without all of them, oldest first. */
export function createEarlierDelegations() {
  let [block, done] = ["", 0];
  return async ({ writer, identity }: Sync): Promise<"read" | "none"> => {
    const end = performance.now() + STEP_MS;
    do {
      const transactions = await listUnreadAuthorizing(writer.sql);
      const [first] = transactions;
      if (!first) return "none";
      const text = JSON.stringify(transactions);
      // A reorganisation may replace the block between two parts.
      if (text !== block) [block, done] = [text, 0];
      const all = listAuthorizations(transactions);
      const rows = await decodeDelegations(all.slice(done, done + PART), identity.chainId);
      done += PART;
      const { blockNumber } = first;
      await writeAs(writer, (transaction) =>
        writeDelegations(transaction, blockNumber, rows, done >= all.length),
      );
    } while (performance.now() < end);
    return "read";
  };
}

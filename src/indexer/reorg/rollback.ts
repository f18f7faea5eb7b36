import type { Chain } from "../../chain/chain.ts";
import type { NodeName } from "../../chain/options.ts";
import type { BlockReference } from "../../chain/questions.ts";
import { ChainError } from "../../core/errors.ts";
import { getBlockReference } from "../../store/blocks/blocks.ts";
import { shareConnections } from "../../store/cluster/distribution.ts";
import { listSigns } from "../../store/state/tokens/signs.ts";
import {
  type ChainIdentity,
  type ServedHead,
  writeChainIdentity,
  writeHead,
} from "../../store/sync-state.ts";
import { deleteChain, deleteChainRowsAbove } from "../../store/writer/chain.ts";
import { finishTransactions } from "../../store/writer/recorded-rows.ts";
import { writeAs } from "../../store/writer/writer.ts";
import { timeStage } from "../../telemetry/metrics.ts";
import type { Sync } from "../context.ts";
import { requireKept, type Writer } from "../publish.ts";
import { type AfterDeletion, tablesOf } from "../state/family.ts";
import { listTouchedKeys, type StateKeys, type StateValues, writeState } from "../state/reading.ts";

// Before and after a roll-back the database equals one chain: blocks, derived rows and the state at
// the head. A roll-back is one transaction, preceded by a read of the ancestor's state. State that
// cannot be read (pruned, node gone) is marked as pending, which answers take into account.

/** Headers asked at once: few first, since most reorganisations are short and a flaky node fails some of many. */
const FIRST_STRIDE = 4;
const LONGEST_STRIDE = 64;

/** Returns the newest common block at or below `from`, or null. Throws `ChainError` (retryable) when headers do not continue. */
export async function findCommonAncestor(
  { chain, writer, identity: { startBlock } }: Sync,
  node: NodeName,
  from: number,
): Promise<number | null> {
  let expected: string | undefined;
  let stride = FIRST_STRIDE;
  for (let top = from; top >= startBlock; stride = Math.min(LONGEST_STRIDE, stride * 4)) {
    const bottom = Math.max(startBlock, top - stride + 1);
    const numbers = Array.from({ length: top - bottom + 1 }, (_, index) => top - index);
    const headers = await Promise.all(numbers.map((number) => chain.fetchHeader(number, { node })));
    for (const [index, header] of headers.entries()) {
      const number = numbers[index] as number;
      if (!header && expected === undefined) expected = await findParentAbove(chain, node, number);
      // The next header shows whether the chain leaves the number out.
      if (!header && expected !== undefined) continue;
      if (!header || (expected !== undefined && header.hash !== expected)) {
        throw new ChainError(
          "inconsistent-chain",
          `${node} changed its chain during the walk back`,
        );
      }
      expected = header.parentHash;
      const ours = await getBlockReference(writer.sql, number);
      if (ours?.hash === header.hash) return number;
    }
    top = bottom - 1;
  }
  return null;
}

/** Returns the parent's hash of the node's next block above a number without a header; undefined at the end of its chain. */
async function findParentAbove(chain: Chain, node: NodeName, number: number) {
  const head = await chain.fetchHead({ node });
  for (let above = number + 1; above <= head.number; above++) {
    const header = await chain.fetchHeader(above, { node });
    if (header) return header.parentHash;
  }
  return undefined;
}

/**
 * Removes the blocks above `ancestor` and all derived state. Then the head is `ancestor`, and the
 * generation is higher by one. Throws as `requireKept`. `read` returns the available state at the
 * ancestor.
 */
export async function rollBack(
  writer: Writer,
  head: ServedHead,
  ancestor: number,
  read: (keys: StateKeys, block: BlockReference) => Promise<StateValues | undefined>,
): Promise<void> {
  const { sql, families, metrics } = writer;
  await requireKept(writer);
  const removed = { from: ancestor + 1, to: head.number };
  const range = { ...removed, signs: await listSigns(sql, removed) };
  const [keys, block] = await Promise.all([
    listTouchedKeys(writer, range, ancestor),
    getBlockReference(sql, ancestor),
  ]);
  const values = block && (await read(keys, block));
  await timeStage(metrics, "rollback", () =>
    writeAs(writer, async (transaction) => {
      if (writer.isDistributed) await shareConnections(transaction);
      const afterDeletion: (AfterDeletion | undefined)[] = [];
      for (const family of families.toReversed())
        afterDeletion.push(await family.revert(transaction, range));
      await deleteChainRowsAbove(transaction, ancestor);
      for (const finish of afterDeletion) await finish?.();
      if (values) await writeState(transaction, values);
      await writeHead(transaction, ancestor, { rollBack: true });
    }),
  );
  // Rows on a lost server would be counted as the next blocks'.
  if (writer.isDistributed) await finishTransactions(sql);
  metrics.reorgBlocks.observe(head.number - ancestor);
}

/** Deletes the chain and binds the database to the new one. */
export async function startOver(writer: Writer, identity: ChainIdentity): Promise<void> {
  await writeAs(writer, async (transaction) => {
    await deleteChain(transaction, tablesOf(writer.families));
    await writeChainIdentity(transaction, identity);
  });
}

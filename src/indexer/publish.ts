import type { Sql } from "../db/client.ts";
import { applyAddresses } from "../store/addresses.ts";
import { type BlockRange, type EncodedRows, insertChainRows } from "../store/chain.ts";
import type { ChainTableName } from "../store/chain-tables.ts";
import { applyDailyStatistics } from "../store/daily-statistics.ts";
import { applyNftOwners } from "../store/nft-owners.ts";
import { writeHead } from "../store/sync-state.ts";
import { applyTokenBalances } from "../store/token-balances.ts";
import { applyTokens } from "../store/tokens.ts";
import { demandWriter } from "../store/writer.ts";
import { type StateValues, writeState } from "./state.ts";

/** The writer's means: the database and the epoch that proves it is still the writer. */
export interface Writer {
  sql: Sql;
  epoch: number;
}

/**
 * Records encoded rows above the head, over `lanes` connections at once: each table goes over one of them, in a
 * transaction of its own, and nothing is visible before `publish`. A failure may leave some tables written:
 * the caller then deletes what stands above the head and the recorded number.
 */
export async function record(writer: Writer, encoded: EncodedRows, lanes: number): Promise<void> {
  const parts = balance(encoded, lanes);
  const outcomes = await Promise.allSettled(
    parts.map((part) =>
      writer.sql.begin(async (transaction) => {
        await demandWriter(transaction, writer.epoch);
        await insertChainRows(transaction, part);
      }),
    ),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** Splits the documents into at most `count` parts of about equal size: the largest first, each to the smallest part. */
function balance(encoded: EncodedRows, count: number): EncodedRows[] {
  const parts = Array.from({ length: Math.min(count, encoded.size) }, () => ({
    bytes: 0,
    rows: new Map<ChainTableName, Buffer>(),
  }));
  const bySize = [...encoded].sort(([, a], [, b]) => b.length - a.length);
  for (const [name, document] of bySize) {
    const smallest = parts.reduce((least, part) => (part.bytes < least.bytes ? part : least));
    smallest.rows.set(name, document);
    smallest.bytes += document.length;
  }
  return parts.map((part) => part.rows);
}

/**
 * Publishes recorded blocks in one transaction: applies them to the state tables, writes what was read from the node
 * for the last of them, and moves the head there. What was not read is marked "to be read".
 */
export async function publish(
  writer: Writer,
  range: BlockRange,
  values: StateValues | null,
): Promise<void> {
  await writer.sql.begin(async (transaction) => {
    await demandWriter(transaction, writer.epoch);
    await applyAddresses(transaction, range);
    await applyTokens(transaction, range);
    await applyTokenBalances(transaction, range);
    await applyNftOwners(transaction, range);
    await applyDailyStatistics(transaction, range);
    if (values) await writeState(transaction, values);
    await writeHead(transaction, range.to, { rollBack: false });
  });
}

import { tracesOfDebugBlock } from "../../../src/chain/traces/frames.ts";
import type { FetchedBlock } from "../../../src/chain/types.ts";
import type { Sql } from "../../../src/db/client.ts";
import { decodeBlocks } from "../../../src/indexer/decode/block.ts";
import { publish, record } from "../../../src/indexer/publish.ts";
import { stateFamilies } from "../../../src/indexer/state/families.ts";
import { tablesOf } from "../../../src/indexer/state/family.ts";
import { isDistributed } from "../../../src/store/cluster/distribution.ts";
import { updateIndexState, writeChainIdentity } from "../../../src/store/sync-state.ts";
import { encodeChainRows } from "../../../src/store/writer/chain.ts";
import {
  buildDeferredIndex,
  deferIndexes,
  listDeferredIndexes,
} from "../../../src/store/writer/deferred-indexes.ts";
import { listRecordedTables } from "../../../src/store/writer/transaction-hashes.ts";
import type { WriterTerm } from "../../../src/store/writer/writer.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { save } from "../../support/verified-contract.ts";
import { type BenchBlock, createBlocks } from "../chain/blocks.ts";
import type { ChainShape } from "../chain/shape.ts";

const BLOCKS_AT_ONCE = 20;
const PUBLISHED_AT_ONCE = 1_000;
const LANES = 4;

/**
 * Fills an empty database with the blocks of a chain as the indexer would, but without a node in between, and with all
 * state read. One contract is verified.
 */
export async function fillDatabase(sql: Sql, shape: ChainShape): Promise<void> {
  // As for a writer without a term: the lock is the product's.
  const [term] = await sql<WriterTerm[]>`
    SELECT epoch, pid, backend_start::text AS begun FROM writer, pg_stat_get_activity(pg_backend_pid())`;
  if (!term) throw new Error("the table writer has no row");
  const writer = {
    sql,
    term,
    isDistributed: await isDistributed(sql),
    families: stateFamilies,
    metrics: createMetrics("indexer"),
  };
  const tables = await listRecordedTables(writer);
  const sequence = createBlocks(shape);
  await sql.begin((transaction) => deferIndexes(transaction, tablesOf(stateFamilies)));
  let published = -1;
  for (let from = 0; from <= shape.head; from += BLOCKS_AT_ONCE) {
    const to = Math.min(shape.head, from + BLOCKS_AT_ONCE - 1);
    const blocks = Array.from({ length: to - from + 1 }, () => fetched(sequence.next()));
    if (from === 0) await bind(sql, blocks[0] as FetchedBlock);
    await record(writer, { from, to }, encodeChainRows(decodeBlocks(blocks), tables), LANES);
    if (to === shape.head || to - published >= PUBLISHED_AT_ONCE) {
      await publish(writer, { from: published + 1, to }, null);
      published = to;
    }
  }
  for (const name of await listDeferredIndexes(sql)) await buildDeferredIndex(sql, name);
  await updateIndexState(writer, { indexed: true });
  await markStateRead(sql, shape.head);
  await verifyContract(sql);
  await sql`VACUUM ANALYZE`;
}

function fetched({ block, receipts, traces }: BenchBlock): FetchedBlock {
  return { block, receipts, traces: tracesOfDebugBlock(traces) };
}

async function bind(sql: Sql, { block }: FetchedBlock): Promise<void> {
  const identity = { chainId: 1, startBlock: 0, genesisHash: block.hash, traced: true };
  await writeChainIdentity(sql, identity);
}

/** The contracts' answers are the sums of their transfers. */
async function markStateRead(sql: Sql, head: number): Promise<void> {
  await sql`UPDATE addresses SET balance = 1e20, balance_block = ${head}`;
  await sql`UPDATE token_balances SET block_number = ${head}`;
  await sql`UPDATE token_id_balances SET block_number = ${head}`;
  await sql`
    UPDATE tokens SET name = 'Bench', symbol = 'Bench', decimals = 18, metadata_block = ${head},
      total_supply = 1e24, supply_block = ${head}`;
}

async function verifyContract(sql: Sql): Promise<void> {
  const [contract] = await sql<
    { address: `0x${string}`; codeHash: `0x${string}`; creationTransaction: `0x${string}` }[]
  >`
    SELECT address, code_hash AS "codeHash", hash AS "creationTransaction"
    FROM contracts JOIN transactions USING (block_number, transaction_index) LIMIT 1`;
  if (contract) await save(sql, contract);
}

import { afterEach, beforeEach, expect, it } from "vitest";
import { randomBlock, randomGenesis } from "../storm/random-blocks.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { methodMissing, rpcError } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import { createRandom } from "../support/world/random.ts";

const SEED = Number(process.env["LATER_TRACES_SEED"] ?? 1);
const random = createRandom(SEED);

let node: ScriptedNode;
let database: TestDatabase;
let indexer: TestIndexer | undefined;

beforeEach(async () => {
  node = await startScriptedNode({ chain: new ScriptedChain({ genesis: randomGenesis(random) }) });
  database = await createTestDatabase();
});

afterEach(async () => {
  await indexer?.stop();
  await database.drop();
  await node.stop();
});

function mine(count: number): void {
  node.chain.mine(...Array.from({ length: count }, () => randomBlock(random)));
}

function start(): TestIndexer {
  indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    finalityDepth: 5,
    auditIntervalMs: 50,
  });
  return indexer;
}

const isTracing = ({ method }: { method: string }) => /^(?:debug|trace)_/.test(method);

it("a chain that was bound without traces gets them from a later answer, with nothing else changed", async () => {
  mine(60);
  node.fail({ when: isTracing, effect: methodMissing() });
  const following = start();
  await following.reach(node.chain.head.block.hash);
  expect(await database.sql`SELECT traced FROM sync_state`).toEqual([{ traced: false }]);
  const [before] = await database.sql<
    { index: string }[]
  >`SELECT index_id AS index FROM sync_state`;

  node.heal();
  // The tracer fails in one block for a while: the others wait for it, and the head does not.
  const { hash } = node.chain.at(30)?.block ?? {};
  const failing = node.fail({
    when: (call) => isTracing(call) && JSON.stringify(call.params).includes(`${hash}`),
    effect: rpcError(-32_000, "tracing failed"),
  });
  const failingByNumber = node.fail({
    when: (call) => isTracing(call) && JSON.stringify(call.params).includes('"0x1e"'),
    effect: rpcError(-32_000, "tracing failed"),
  });
  await following.until(() => (following.status().traces.unread ?? 99) <= 31);
  expect(following.status().traces.reason).toMatch(
    /^the internal transactions of \d+ blocks are still/,
  );
  mine(3);
  node.chain.reorg(2, randomBlock(random), randomBlock(random), randomBlock(random));
  await following.until(() => following.status().head === node.chain.height);
  failing();
  failingByNumber();

  await following.until(async () => {
    const [state] = await database.sql<{ traced: boolean }[]>`SELECT traced FROM sync_state`;
    return state?.traced === true;
  });
  mine(2);
  const oracle = await createOracleReader(node.url).read();
  await following.reach(oracle.head.hash);
  const differences = await compareDatabase(database.sql, oracle);
  // The scripted chain's traces have no code of creations.
  expect(differences.filter((one) => !one.includes("code_hash"))).toEqual([]);
  await following.until(() => following.status().traces.unread === undefined);
  expect(following.status().traces).toEqual({ tracer: "debug_traceBlockByHash", reason: null });
  expect(following.status().audit.last).toBeNull();
  const [after] = await database.sql<{ index: string }[]>`SELECT index_id AS index FROM sync_state`;
  // Answers that clients keep are void.
  expect(after?.index).not.toBe(before?.index);
});

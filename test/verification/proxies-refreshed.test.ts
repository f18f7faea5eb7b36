import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { getProxy, saveProxy } from "../../src/store/contracts/proxies.ts";
import { keepProxiesFresh } from "../../src/verification/proxies/proxies.ts";
import { addressAt, publish, wordAt } from "../support/build.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openChain, openNode } from "../support/test-chain.ts";

const LOGIC = addressAt(9);
const [SILENT, PLAIN] = [addressAt(1), addressAt(2)] as const;
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

/** A node whose proxies name `LOGIC`, and an index at its head. `keep` reads proxies again until the end of the test. */
async function startProxies(proxies: readonly Address[]) {
  const [node, database] = [await openNode(), await createTestDatabase()];
  const { sql } = database;
  const { chain } = openChain([node]);
  const value: Hex = `0x${LOGIC.slice(2).padStart(64, "0")}`;
  node.chain.mine({
    state: {
      code: Object.fromEntries(proxies.map((address) => [address, "0xf4" as Hex])),
      storage: proxies.map((address) => ({ address, slot: IMPLEMENTATION_SLOT, value })),
    },
  });
  const { number, hash } = await chain.fetchHead();
  await publish(sql, { blocks: [{ number, hash }] });
  const keep = () => {
    const stop = new AbortController();
    const keeping = keepProxiesFresh({ sql, chain }, pino({ level: "silent" }), stop.signal);
    onTestFinished(async () => {
      stop.abort();
      node.heal();
      await keeping;
      await database.drop();
    });
  };
  const implementationsOf = async (address: Address) =>
    (await getProxy(sql, address))?.implementations;
  return { node, sql, chain, head: { number, hash }, keep, implementationsOf };
}

const PATIENCE = { timeout: 30_000 };

test("an upgrade without an event is noticed", async () => {
  const { sql, head, keep, implementationsOf } = await startProxies([PLAIN]);
  const before = { kind: "eip1967", implementations: [SILENT], conflicts: [], beacon: null };
  await saveProxy(sql, {
    address: PLAIN,
    ...before,
    blockNumber: head.number,
    blockHash: head.hash,
  });
  keep();
  await expect.poll(() => implementationsOf(PLAIN), PATIENCE).toEqual([LOGIC]);
});

test("a proxy that the node leaves unanswered delays no other, and is tried again", async () => {
  const { node, sql, chain, head, keep, implementationsOf } = await startProxies([SILENT, PLAIN]);
  for (const address of [SILENT, PLAIN]) {
    const kind = { kind: "unknown", implementations: [], conflicts: [], beacon: null };
    await saveProxy(sql, { address, ...kind, blockNumber: head.number, blockHash: wordAt(7) });
  }
  node.fail({
    method: "eth_call",
    when: ({ params: [call] }) => (call as { to: Address }).to === SILENT,
    effect: { kind: "stall" },
  });
  keep();
  await expect.poll(() => implementationsOf(PLAIN), PATIENCE).toEqual([LOGIC]);
  expect(await implementationsOf(SILENT)).toBeUndefined();
  expect(chain.status()).toMatchObject([{ usable: true, concurrency: 4 }]);
  node.heal();
  await expect.poll(() => implementationsOf(SILENT), PATIENCE).toEqual([LOGIC]);
});

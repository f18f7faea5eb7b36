import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { Address } from "../../src/core/address.ts";
import type { Hex } from "../../src/core/hex.ts";
import { getProxy, saveProxy } from "../../src/store/proxies.ts";
import { keepProxiesFresh } from "../../src/verification/proxies.ts";
import { addressAt, publish, wordAt } from "../support/build.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openChain, openNode } from "../support/test-chain.ts";

const LOGIC = addressAt(9);
const [SILENT, PLAIN] = [addressAt(1), addressAt(2)] as const;
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

test("an upgrade without an event is noticed", async () => {
  const [node, database] = [await openNode(), await createTestDatabase()];
  const { sql } = database;
  const { chain } = openChain([node]);
  const stop = new AbortController();
  const value: Hex = `0x${LOGIC.slice(2).padStart(64, "0")}`;
  node.chain.mine({
    state: {
      code: { [PLAIN]: "0xf4" },
      storage: [{ address: PLAIN, slot: IMPLEMENTATION_SLOT, value }],
    },
  });
  const { number, hash } = await chain.fetchHead();
  await publish(sql, { blocks: [{ number, hash }] });
  const before = { implementations: [SILENT], conflicts: [], beacon: null };
  await saveProxy(sql, {
    address: PLAIN,
    kind: "eip1967",
    ...before,
    blockNumber: number,
    blockHash: hash,
  });
  const keeping = keepProxiesFresh({ sql, chain }, pino({ level: "silent" }), stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await keeping;
    await database.drop();
  });

  await expect
    .poll(async () => (await getProxy(sql, PLAIN))?.implementations, { timeout: 30_000 })
    .toEqual([LOGIC]);
});

test("a proxy that the node leaves unanswered delays no other, and is tried again", async () => {
  const [node, database] = [await openNode(), await createTestDatabase()];
  const { sql } = database;
  const { chain } = openChain([node]);
  const stop = new AbortController();
  const value: Hex = `0x${LOGIC.slice(2).padStart(64, "0")}`;
  node.chain.mine({
    state: {
      code: { [SILENT]: "0xf4", [PLAIN]: "0xf4" },
      storage: [SILENT, PLAIN].map((address) => ({ address, slot: IMPLEMENTATION_SLOT, value })),
    },
  });
  const { number, hash } = await chain.fetchHead();
  await publish(sql, { blocks: [{ number, hash }] });
  for (const address of [SILENT, PLAIN]) {
    const kind = { kind: "unknown", implementations: [], conflicts: [], beacon: null };
    await saveProxy(sql, { address, ...kind, blockNumber: number, blockHash: wordAt(7) });
  }
  node.fail({
    method: "eth_call",
    when: ({ params: [call] }) => (call as { to: Address }).to === SILENT,
    effect: { kind: "stall" },
  });
  const keeping = keepProxiesFresh({ sql, chain }, pino({ level: "silent" }), stop.signal);
  onTestFinished(async () => {
    stop.abort();
    node.heal();
    await keeping;
    await database.drop();
  });

  const patience = { timeout: 30_000 };
  const implementationsOf = async (address: Address) =>
    (await getProxy(sql, address))?.implementations;
  await expect.poll(() => implementationsOf(PLAIN), patience).toEqual([LOGIC]);
  expect(await implementationsOf(SILENT)).toBeUndefined();
  expect(chain.status()).toMatchObject([{ usable: true, concurrency: 4 }]);
  node.heal();
  await expect.poll(() => implementationsOf(SILENT), patience).toEqual([LOGIC]);
});

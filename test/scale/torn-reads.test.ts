import { afterAll, beforeAll, expect, test } from "vitest";
import { isDistributed } from "../../src/store/cluster/distribution.ts";
import { readUntorn } from "../../src/store/snapshot.ts";
import { writeHead } from "../../src/store/sync-state.ts";
import { deleteChainRowsAbove } from "../../src/store/writer/chain.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { addressAt, publish } from "../support/build.ts";

/** Answers that are read while blocks come and go; more by SCALE_READS. */
const READS = Number(process.env["SCALE_READS"] ?? 300);
const READERS = 4;
const DEPTH = 3;
const LOWEST = 8;
const TOKEN = addressAt(7);
const ACCOUNT = addressAt(1);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  for (let number = 0; number <= LOWEST; number++) await addBlock(number);
});
afterAll(() => server?.close());

/** As the indexer does: the rows first, the head after them. */
async function addBlock(number: number): Promise<void> {
  await publish(server.sql, {
    blocks: [{ number }],
    transactions: [{ blockNumber: number, fromAddress: ACCOUNT }],
    logs: [{ blockNumber: number, address: TOKEN }],
  });
}

async function rollBack(number: number): Promise<void> {
  await server.sql.begin(async (transaction) => {
    await deleteChainRowsAbove(transaction, number);
    await writeHead(transaction, number, { rollBack: true });
  });
}

test(`${READS} answers hold all rows up to their head, and none of them is refused`, async () => {
  expect(await isDistributed(server.sql)).toBe(true);
  let left = READS;
  const seen = new Set<number>();
  const answered: string[] = [];
  async function read(): Promise<void> {
    while (left-- > 0) {
      const query =
        left % 2 === 0
          ? `module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${TOKEN}`
          : `module=account&action=txlist&address=${ACCOUNT}&sort=asc`;
      const { headers, json } = await server.app.inject(`/api?${query}`);
      const head = Number.parseInt(String(headers["x-periscope-block"]), 10);
      const { result } = json() as { result: { blockNumber: string }[] };
      seen.add(head);
      answered.push(result.map(({ blockNumber }) => Number(blockNumber)).join(" "));
      expect(answered.at(-1)).toBe(Array.from({ length: head + 1 }, (_, at) => at).join(" "));
    }
  }
  const reading = Promise.all(Array.from({ length: READERS }, read));
  let isReading = true;
  void reading
    .catch(() => {})
    .finally(() => {
      isReading = false;
    });
  for (let head = LOWEST; isReading; ) {
    for (let count = 0; count < DEPTH; count++) await addBlock(++head);
    head -= DEPTH;
    await rollBack(head);
  }
  await reading;
  expect(answered).toHaveLength(READS);
  expect(seen.size).toBeGreaterThan(1);
});

test("what several servers said while a block was rolled back counts for nothing", async () => {
  await addBlock(LOWEST + 1);
  const read = async () => ({ is: "read" });
  expect(await readUntorn(server.sql, read)).toEqual({ is: "read" });
  const torn = await readUntorn(server.sql, async () => {
    await rollBack(LOWEST);
    return read();
  });
  expect(torn).toBeUndefined();
});

import { keccak256 } from "viem";
import { afterEach, beforeEach, expect, it } from "vitest";
import { getVerifiedAbi } from "../../src/store/contracts/verified/verified-contract.ts";
import { isStillFullyVerified, keepCodesCompared } from "../../src/verification/present-codes.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { openChain, openNode } from "../support/test-chain.ts";
import { save } from "../support/verified-contract.ts";

const address = scriptedAddress("of the genesis block");
const CODE = "0x6001";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

it.each(["was replaced, and is back", "was read at a block that is gone"])(
  "a contract whose code %s is shown at once, though the node has newer blocks than the index",
  async (history) => {
    const node = await openNode();
    node.chain.mine({ state: { code: { [address]: CODE } } }, 3);
    const { hash, number } = node.chain.head.block;
    const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url] });
    await indexer.reach(hash);
    await indexer.stop();
    const isBack = history === "was replaced, and is back";
    const blockHash = isBack ? hash : keccak256(hash);
    const codeHash = keccak256(CODE);
    await save(database.sql, { address, codeHash, blockNumber: Number(number), blockHash });
    if (isBack) await database.sql`UPDATE verified_contracts SET is_replaced = true`;
    node.chain.mine(2);
    const source = { sql: database.sql, chain: openChain([node]).chain };
    const stop = new AbortController();
    const comparing = keepCodesCompared(source, { warn: () => {} }, stop.signal);
    try {
      await expect.poll(() => getVerifiedAbi(database.sql, address)).toBeDefined();
    } finally {
      stop.abort();
      await comparing;
    }
    expect(await isStillFullyVerified(source, address)).toBe(true);
  },
);

it("a contract whose code a block replaces that is not indexed yet is still verified", async () => {
  const node = await openNode();
  node.chain.mine({ state: { code: { [address]: CODE } } });
  const { hash: blockHash } = node.chain.head.block;
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url] });
  await indexer.reach(blockHash);
  await indexer.stop();
  await save(database.sql, { address, codeHash: keccak256(CODE), blockNumber: 1, blockHash });
  node.chain.mine({ state: { code: { [address]: "0x6002" } } });
  const source = { sql: database.sql, chain: openChain([node]).chain };
  expect(await isStillFullyVerified(source, address)).toBe(true);
});

import { toEventSelector } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wordOfAddress, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import { chainTables } from "../../../src/store/writer/chain-tables.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { blockWith, lie } from "../../support/scripted-node/faults.ts";
import {
  CONSECUTIVE_TRANSFER,
  TRANSFER,
  TRANSFER_SINGLE,
  word,
} from "../../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const [alice = "0x", bob = "0x", coin = "0x", multi = "0x", made = "0x"] = [
  "alice",
  "bob",
  "coin",
  "multi",
  "made",
].map(scriptedAddress);

const UPGRADED = toEventSelector("Upgraded(address)");

/** A wrong row in each table; the statement leaves the row count of the block as it is, but for the last two. */
const TAMPERINGS: Record<string, string> = {
  blocks: "UPDATE blocks SET gas_limit = gas_limit + 1 WHERE number = 1",
  transactions: "UPDATE transactions SET value = value + 1",
  transaction_hashes: "UPDATE transaction_hashes SET transaction_index = transaction_index + 7",
  logs: "UPDATE logs SET data = '\\x01'",
  internal_transactions: "UPDATE internal_transactions SET value = value + 1",
  uncles: "UPDATE uncles SET miner = hash",
  withdrawals: "UPDATE withdrawals SET amount = amount + 1",
  token_transfers: "UPDATE token_transfers SET amount = amount + 1",
  contracts: "UPDATE contracts SET creator = address",
  contract_destructions: "DELETE FROM contract_destructions",
  address_transactions: "UPDATE address_transactions SET sides = 3",
  address_internal_transactions: "UPDATE address_internal_transactions SET sides = 3",
  consecutive_transfers: "UPDATE consecutive_transfers SET last_id = 3",
  implementation_changes: "DELETE FROM implementation_changes",
  delegations: "UPDATE delegations SET nonce = nonce + 1",
  left_out_blocks: "INSERT INTO left_out_blocks VALUES (1)",
  address_token_transfers: "UPDATE address_token_transfers SET sides = 3",
};

/** How it is undone, where a copy of the rows does not do: on one server this is a view. */
const REPAIRS: Record<string, string> = {
  transaction_hashes: "UPDATE transaction_hashes SET transaction_index = transaction_index - 7",
};

/** An authorization of EIP-7702. */
async function authorization() {
  const account = privateKeyToAccount(`0x${"7".repeat(64)}`);
  const {
    r,
    s,
    yParity = 0,
  } = await account.signAuthorization({ address: bob, chainId: 0, nonce: 3 });
  return { chainId: "0x0", address: bob, nonce: "0x3", r, s, yParity: quantity(yParity) };
}

describe("the auditor", () => {
  let node: ScriptedNode;
  let second: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer;

  beforeAll(async () => {
    node = await startScriptedNode();
    second = await startScriptedNode({ chain: node.chain });
    const parties = [wordOfAddress(ZERO_ADDRESS), wordOfAddress(bob)];
    node.chain.mine({
      transactions: [
        {
          from: alice,
          to: coin,
          valueWei: 5n,
          logs: [
            { address: coin, topics: [TRANSFER, ...parties], data: word(9) },
            {
              address: multi,
              topics: [TRANSFER_SINGLE, wordOfAddress(alice), ...parties],
              data: `0x${word(3).slice(2)}${word(4).slice(2)}`,
            },
            { address: coin, topics: [UPGRADED, wordOfAddress(bob)], data: "0x" },
            { address: alice, topics: [CONSECUTIVE_TRANSFER, word(1), ...parties], data: word(2) },
          ],
          // More bytes than the transaction used gas: they are not kept.
          calls: [{ from: coin, to: bob, valueWei: 2n, input: `0x${"01".repeat(200_000)}` }],
        },
        { type: 4, fields: { authorizationList: [await authorization()] } },
        { from: alice, to: null, contractAddress: made, output: "0x00" },
        { from: alice, to: made, calls: [{ type: "SELFDESTRUCT", from: made, to: bob }] },
      ],
      uncles: [{ miner: bob, distance: 1 }],
      withdrawals: [{ address: bob, amountGwei: 3 }],
    });
    database = await createTestDatabase();
    const loading = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url] });
    await loading.reach(node.chain.head.block.hash);
    // They would be read again from tampered rows.
    await loading.until(async () => {
      const read = await database.sql`SELECT FROM sync_state WHERE delegations_to >= head_number`;
      return read.length > 0;
    });
    await loading.stop();
    indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [node.url, second.url],
      finalityDepth: 0,
      auditIntervalMs: 20,
    });
  });

  afterAll(async () => {
    await indexer.stop();
    await database.drop();
    await Promise.all([node.stop(), second.stop()]);
  });

  const audit = () => indexer.status().audit;

  /** Waits until the indexer, which audits all the time, has looked at some more blocks. */
  async function auditBlocks(): Promise<void> {
    const last = Number(audit().checked.blocks) + 10;
    await indexer.until(() => Number(audit().checked.blocks) >= last);
  }

  it("finds nothing in an index that is right, and says how much it looked at", async () => {
    await indexer.until(() =>
      ["blocks", "coins", "holdings"].every((kind) => Number(audit().checked[kind]) >= 10),
    );
    expect(audit()).toMatchObject({
      differing: { blocks: 0, coins: 0, holdings: 0 },
      last: null,
    });
  });

  it("holds nothing against inputs that an earlier release kept", async () => {
    await database.sql`UPDATE internal_transactions SET input = '\\x01' WHERE input IS NULL AND position > 0`;
    await auditBlocks();
    expect(audit().differing.blocks).toBe(0);
  });

  it.each(Object.entries(TAMPERINGS))(
    "finds a wrong row of %s, and leaves it",
    async (table, tampering) => {
      const { sql } = database;
      const rows = () =>
        sql.unsafe(`SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${table} t`);
      const known = audit().differing.blocks ?? 0;
      await sql.unsafe(`CREATE TABLE right_rows AS TABLE ${table}; ${tampering}`);
      try {
        const before = await rows();
        await indexer.until(() => audit().last?.includes(`${table} of block 1: `) === true);
        expect(audit().differing.blocks).toBeGreaterThan(known);
        expect(await rows()).toEqual(before);
      } finally {
        const repair =
          REPAIRS[table] ?? `DELETE FROM ${table}; INSERT INTO ${table} TABLE right_rows`;
        await sql.unsafe(`${repair}; DROP TABLE right_rows`);
      }
    },
  );

  it.each([
    ["coins", "UPDATE addresses SET balance = balance + 1", "the balance of 0x"],
    ["holdings", "UPDATE token_balances SET amount = amount + 1", "the holding of 0x"],
    ["holdings", "UPDATE token_id_balances SET amount = amount + 1", "of id 3 at block 1: 5, the"],
  ] as const)("finds wrong %s: %s", async (kind, tampering, text) => {
    const known = Number(audit().differing[kind]);
    await database.sql.unsafe(tampering);
    await indexer.until(() => audit().last?.includes(text) === true);
    expect(audit().differing[kind]).toBeGreaterThan(known);
  });

  it("holds nothing against the index that only one node says", async () => {
    const known = audit().differing.blocks;
    const heal = node.fail({
      method: "eth_getBlockByNumber",
      effect: blockWith({ gasLimit: "0x1" }),
    });
    await auditBlocks();
    heal();
    expect(audit().differing.blocks).toBe(known);
  });
});

it("an audit whose second request gets no answer keeps no head back", async () => {
  const node = await startScriptedNode();
  const database = await createTestDatabase();
  const address = coin;
  const logs = [
    { address, topics: [] },
    { address, topics: [] },
  ];
  const audited = ({ params }: { params: readonly unknown[] }) => Number(params[0]) === 1;
  const receipts = "eth_getBlockReceipts";
  const hole = lie((all) =>
    (all as { logs: unknown[] }[]).map((receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })),
  );
  node.chain.mine({ transactions: [{ logs }] });
  node.fail({ method: receipts, when: audited, effect: hole });
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    finalityDepth: 0,
    auditIntervalMs: 1_000,
    requestTimeoutMs: 600_000,
  });
  try {
    await indexer.reach(node.chain.head.block.hash);
    node.heal();
    let asked = 0;
    const isSecond = (call: { params: readonly unknown[] }) => audited(call) && ++asked === 2;
    node.fail({ method: receipts, when: isSecond, times: 1, effect: { kind: "stall" } });
    node.fail({ method: receipts, when: audited, effect: hole });
    await indexer.until(() => asked >= 2);
    node.chain.mine(1);
    await indexer.reach(node.chain.head.block.hash);
  } finally {
    await indexer.stop();
    await database.drop();
    await node.stop();
  }
});

it("the auditor is tried with every table", () => {
  expect(Object.keys(TAMPERINGS).sort()).toEqual(
    Object.values(chainTables)
      .map(({ name }) => name)
      .sort(),
  );
});

it("an audit lets a head go first that comes meanwhile, and goes on behind it", async () => {
  const node = await startScriptedNode();
  const database = await createTestDatabase();
  const asked: string[] = [];
  const note = (name: string) => () => {
    asked.push(name);
    return false;
  };
  const stall = { kind: "stall" } as const;
  node.chain.mine({ transactions: [{ from: alice, to: bob, valueWei: 5n }] });
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    finalityDepth: 0,
    auditIntervalMs: 1_000,
  });
  try {
    await indexer.reach(node.chain.head.block.hash);
    const audited = ({ params }: { params: readonly unknown[] }) => Number(params[0]) < 2;
    const receipts = "eth_getBlockReceipts";
    const mine = (call: { params: readonly unknown[] }) => {
      if (!audited(call) || node.chain.height > 1) return false;
      asked.length = 0;
      node.chain.mine({ transactions: [{ from: alice, to: null, contractAddress: made }] });
      return true;
    };
    node.fail({ method: receipts, when: mine, effect: { kind: "late", ms: 1_500 } });
    node.fail({
      method: receipts,
      when: (call) => !audited(call) && note("head")(),
      effect: stall,
    });
    node.fail({ method: "eth_getBalance", when: note("state"), effect: stall });
    await indexer.until(() => asked.includes("head"));
    await indexer.until(() => indexer.status().audit.checked["coins"] !== undefined);
    expect(asked[0]).toBe("head");
  } finally {
    await indexer.stop();
    await database.drop();
    await node.stop();
  }
});

import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { ask } from "../../support/ask.ts";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createOracleReader } from "../../support/oracle/oracle.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import type { BlockSpecification } from "../../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const [victim, ghost, borrowed, heir, contract, factory] = [
  scriptedAddress("victim"),
  scriptedAddress("ghost"),
  scriptedAddress("borrowed"),
  scriptedAddress("heir"),
  scriptedAddress("contract"),
  scriptedAddress("factory"),
];

/** The common part of every failure: coins, a creation, a destruction, all without an error of their own. */
const deeds = [
  { from: contract, to: victim, valueWei: 10n },
  {
    type: "CREATE2",
    from: contract,
    to: ghost,
    valueWei: 1n,
    input: "0x60",
    output: "0xfe",
    calls: [{ from: ghost, to: victim, valueWei: 1n }],
  },
  { type: "SELFDESTRUCT", from: contract, to: heir, valueWei: 4n },
] as const;
const preByzantium = { status: undefined };

/** Failures in the different forms of nodes; all of them undo the same. */
const FAILURES: Record<string, BlockSpecification> = {
  "the receipt and the trace": {
    transactions: [{ to: contract, error: "reverted", calls: deeds }],
  },
  "the receipt alone": {
    transactions: [{ to: contract, error: "reverted", silentTrace: true, calls: deeds }],
  },
  "the trace alone, before Byzantium": {
    transactions: [
      { to: contract, error: "out of gas", calls: deeds, receiptFields: preByzantium },
    ],
  },
  "the receipt alone, of a creation": {
    transactions: [
      {
        to: null,
        contractAddress: ghost,
        error: "code size",
        silentTrace: true,
        input: "0x60",
        calls: deeds,
      },
    ],
  },
  "the trace alone, of a creation before Byzantium": {
    transactions: [
      {
        to: null,
        contractAddress: ghost,
        error: "out of gas",
        input: "0x60",
        calls: deeds,
        receiptFields: preByzantium,
      },
    ],
  },
  "a frame around it": {
    transactions: [
      { to: factory, calls: [{ from: factory, to: contract, error: "no", calls: deeds }] },
    ],
  },
  "a frame two further out": {
    transactions: [
      {
        to: factory,
        calls: [
          {
            from: factory,
            to: contract,
            error: "",
            calls: [{ type: "DELEGATECALL", from: contract, to: factory, calls: deeds }],
          },
        ],
      },
    ],
  },
  "a creation around it": {
    transactions: [
      {
        to: factory,
        // Some tracers name the address all the same.
        calls: [
          {
            type: "CREATE",
            from: factory,
            to: scriptedAddress("never"),
            input: "0x60",
            error: "contract creation code storage out of gas",
            calls: deeds,
          },
        ],
      },
    ],
  },
};

describe.each(["callTracer", "trace_block"])("frames that failed, told by %s", (tracer) => {
  let node: ScriptedNode;
  let api: TestApp;
  let indexer: TestIndexer;

  beforeEach(async () => {
    node = await startScriptedNode({ without: tracer === "callTracer" ? [] : ["debug_"] });
    node.chain.mine({ state: { balances: { [contract]: 10n ** 18n, [factory]: 10n ** 18n } } });
    api = await createTestApp({ nodeUrl: node.url });
  });

  afterEach(async () => {
    await indexer?.stop();
    await api?.close();
    await node?.stop();
  });

  async function index(): Promise<void> {
    const databaseUrl = new URL(inject("postgresUrl"));
    databaseUrl.pathname = api.sql.options.database;
    indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
    await indexer.reach(node.chain.head.block.hash);
  }

  async function listed(query: string, path: "/api" | "/v2/api") {
    const { result } = await ask(api.app, `module=account&action=${query}`, path);
    return result as Record<string, string>[];
  }

  const differences = async () =>
    compareDatabase(api.sql, await createOracleReader(node.url).read());

  it.each(Object.entries(FAILURES))("undo what was done, when %s tells", async (_, block) => {
    node.chain.mine(block);
    await index();
    for (const path of ["/api", "/v2/api"] as const) {
      const entries = await listed("txlistinternal&include_zero_value=true", path);
      const touching = entries.filter(({ from, to }) => from === contract || to === victim);
      expect(touching.length).toBeGreaterThanOrEqual(4);
      for (const { isError, errCode, contractAddress } of touching) {
        expect({ isError, contractAddress }).toEqual({ isError: "1", contractAddress: "" });
        expect(errCode).not.toBe("");
      }
      expect(touching.map(({ value }) => value)).toEqual(expect.arrayContaining(["10", "1", "4"]));
      const accounts = (await listed("listaccounts&offset=10000", path)).map(
        ({ address }) => address,
      );
      for (const stranger of [victim, ghost, heir]) expect(accounts).not.toContain(stranger);
      for (const stranger of [victim, heir]) {
        expect(await listed(`fundedby&address=${stranger}`, path)).toEqual([]);
        expect(await listed(`txlistinternal&address=${stranger}`, path)).not.toEqual([]);
      }
      const created = await ask(
        api.app,
        `module=contract&action=getcontractcreation&contractaddresses=${ghost}`,
        path,
      );
      expect(created.result ?? []).toEqual([]);
    }
    // The oracle reads traces of the callTracer only.
    if (tracer === "callTracer") expect(await differences()).toEqual([]);
  });

  it("count what lasts beside them", async () => {
    node.chain.mine({
      transactions: [
        {
          to: contract,
          calls: [
            {
              from: contract,
              to: factory,
              error: "no",
              calls: [{ from: factory, to: victim, valueWei: 7n }],
            },
            // Runs the code of another with the coins of its own.
            { type: "CALLCODE", from: contract, to: borrowed, valueWei: 9n },
            ...deeds,
          ],
        },
      ],
      state: { code: { [ghost]: "0xfe" } },
    });
    await index();
    const funded = (address: Address) =>
      ask(api.app, `module=account&action=fundedby&address=${address}`);
    expect((await funded(victim)).result.value).toBe("10");
    expect((await funded(heir)).result.value).toBe("4");
    expect((await funded(borrowed)).result).toEqual([]);
    const entries = await listed("txlistinternal&include_zero_value=true&sort=asc", "/api");
    expect(entries.map(({ isError, contractAddress }) => [isError, contractAddress])).toEqual([
      ["1", ""],
      ["1", ""],
      ["0", ""],
      ["0", ""],
      ["0", ghost],
      ["0", ""],
      ["0", ""],
    ]);
    if (tracer === "callTracer") expect(await differences()).toEqual([]);
  });

  it("last where the receipt says so and only the trace calls the transaction failed", async () => {
    const made = scriptedAddress("made");
    const status = { status: "0x1" } as const;
    node.chain.mine({
      transactions: [
        { to: contract, error: "the tracer is wrong", receiptFields: status, calls: deeds },
        {
          to: null,
          contractAddress: made,
          error: "the tracer is wrong",
          input: "0x60",
          receiptFields: status,
        },
      ],
      state: { code: { [ghost]: "0xfe", [made]: "0xfe" } },
    });
    await index();
    for (const path of ["/api", "/v2/api"] as const) {
      expect(await listed(`txlist&address=${contract}`, path)).toMatchObject([{ isError: "0" }]);
      expect(await listed(`txlist&address=${made}`, path)).toMatchObject([
        { isError: "0", contractAddress: made },
      ]);
      const entries = await listed("txlistinternal&include_zero_value=true", path);
      expect(entries.map(({ isError, errCode }) => [isError, errCode])).toEqual(
        entries.map(() => ["0", ""]),
      );
      const contracts = entries.map(({ contractAddress }) => contractAddress);
      expect(contracts).toEqual(expect.arrayContaining([ghost, made]));
      expect(await listed(`fundedby&address=${victim}`, path)).toMatchObject({ value: "10" });
    }
    // The trace lacks the code of the contract that it reports as failed.
    const untold = new RegExp(`^contracts address=${made} .*code_hash should be 0x.*, is null$`);
    if (tracer === "callTracer") {
      expect(await differences()).toEqual([expect.stringMatching(untold)]);
    }
  });

  it("stay undone in a database that an older version filled", async () => {
    for (const block of Object.values(FAILURES)) node.chain.mine(block);
    node.chain.mine({
      transactions: [{ to: contract, calls: deeds }],
      state: { code: { [ghost]: "0xfe" } },
    });
    await index();
    await indexer.stop();
    const before = await api.sql`SELECT * FROM addresses ORDER BY address`;
    const head = await api.sql`SELECT * FROM daily_statistics`;
    // The former form: a creation without an error of its own kept its address, for any outcome.
    await api.sql`
      UPDATE internal_transactions SET created_contract = ${ghost}
      WHERE NOT effective AND type LIKE 'create%' AND error IS NULL`;
    await api.sql`
      INSERT INTO address_internal_transactions (address, block_number, transaction_index, position, sides, valued)
      SELECT created_contract, block_number, transaction_index, position, 4, true FROM internal_transactions
      WHERE NOT effective AND created_contract IS NOT NULL`;
    await api.sql`
      UPDATE internal_transactions i SET effective = true FROM transactions t
      WHERE (t.block_number, t.transaction_index) = (i.block_number, i.transaction_index)
        AND t.status = 0 AND t.error IS NULL AND i.error IS NULL`;
    await api.sql`
      INSERT INTO contracts (address, block_number, transaction_index, position, creator)
      SELECT created_contract, block_number, transaction_index, position, from_address FROM internal_transactions
      WHERE effective AND created_contract IS NOT NULL ON CONFLICT DO NOTHING`;
    await api.sql`
      UPDATE transactions SET created_contract = ${ghost} WHERE status IS NULL AND to_address IS NULL`;
    await api.sql`
      INSERT INTO address_transactions (address, block_number, transaction_index, sides)
      SELECT created_contract, block_number, transaction_index, 4 FROM transactions
      WHERE status IS NULL AND created_contract IS NOT NULL`;
    await api.sql`
      INSERT INTO addresses (address, first_block, balance, balance_block)
      SELECT DISTINCT ON (address) address, block_number, 5, 1 FROM address_internal_transactions
      ORDER BY address, block_number
      ON CONFLICT (address) DO UPDATE SET first_block = least(addresses.first_block, excluded.first_block)`;
    // Where the migration, and the versions before it, know the supply.
    await api.sql`ALTER TABLE sync_state ADD COLUMN coin_supply numeric NOT NULL DEFAULT 0`;
    await api.sql`UPDATE sync_state SET coin_supply = (SELECT sum(balance) FROM addresses)`;
    await api.sql`UPDATE daily_statistics SET new_addresses = new_addresses + 3`;
    const migration = new URL("../../../migrations/0020_rolled_back.sql", import.meta.url);
    const text = await readFile(migration, "utf8");
    await api.sql.begin((transaction) => transaction.unsafe(text).simple());
    await api.sql`UPDATE coin_supply SET total = (SELECT coin_supply FROM sync_state)`;
    expect(await api.sql`SELECT * FROM addresses ORDER BY address`).toEqual(before);
    expect(await api.sql`SELECT * FROM daily_statistics`).toEqual(head);
    if (tracer === "callTracer") expect(await differences()).toEqual([]);
  });
});

import { afterEach, expect, inject, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { startAnvil } from "../support/anvil.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  LogSpecification,
} from "../support/scripted-node/specification.ts";
import { startScriptedNode } from "../support/scripted-node.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld } from "../support/world/world.ts";

const BLOCKS = 120;

let api: TestApp;
let indexer: TestIndexer;
let stopNode: () => Promise<void>;

afterEach(async () => {
  await indexer?.stop();
  await api?.close();
  await stopNode?.();
});

/** Indexes the chain of a node block by block, and notes at each commit that moves the head what is still to be read. */
async function watchHeads(nodeUrl: string): Promise<void> {
  api = await createTestApp({ nodeUrl });
  await api.sql`CREATE TABLE watched (head bigint, coins bigint, holdings bigint, ids bigint, tokens bigint)`;
  await api.sql.unsafe(`
    CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO watched SELECT new.head_number,
        (SELECT count(*) FROM addresses WHERE balance_block IS NULL),
        (SELECT count(*) FROM token_balances WHERE block_number IS NULL),
        (SELECT count(*) FROM token_id_balances WHERE block_number IS NULL),
        (SELECT count(*) FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL);
      RETURN NULL;
    END $$`);
  await api.sql`
    CREATE CONSTRAINT TRIGGER watch AFTER UPDATE ON sync_state DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION watch()`;
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  indexer = startTestIndexer({
    databaseUrl: databaseUrl.href,
    rpcUrls: [nodeUrl],
    finalityDepth: 1_000,
  });
}

/** Demands that nothing was left to be read at any of the heads, of which there were more than so many. */
async function expectWholeHeads(count: number): Promise<void> {
  const pending = await api.sql`
    SELECT * FROM watched WHERE coins + holdings + ids + tokens > 0 ORDER BY head`;
  expect(pending).toEqual([]);
  const [watched] = await api.sql`SELECT count(DISTINCT head) AS heads FROM watched`;
  expect(watched?.["heads"]).toBeGreaterThan(count);
}

function transfer(token: Address, from: Address, to: Address, id?: Hex): LogSpecification {
  const parties: [Hex, Hex] = [wordOfAddress(from), wordOfAddress(to)];
  return id === undefined
    ? { address: token, topics: [TRANSFER, ...parties], data: word(5) }
    : { address: token, topics: [TRANSFER, ...parties, id] };
}

/** A block that names strangers in every way that there is, some of whom have coins from nowhere. */
function busyBlock(index: number): BlockSpecification {
  const stranger = (name: string): Address => scriptedAddress(`${name} ${index}`);
  const [coin, art, multi] = ["coin", "art", "multi"].map((name) =>
    scriptedAddress(`${name} ${index - (index % 7)}`),
  ) as [Address, Address, Address];
  const endowed = stranger("endowed");
  const calls = [
    {
      from: coin,
      to: stranger("called"),
      calls: [{ from: coin, to: stranger("paid"), valueWei: 3n }],
    },
    { type: "STATICCALL", from: coin, to: stranger("looked at") },
    { type: "DELEGATECALL", from: coin, to: stranger("library") },
    { type: "CREATE2", from: coin, to: stranger("child"), input: "0x60", output: "0xfe" },
    { type: "SELFDESTRUCT", from: stranger("dead"), to: stranger("heir") },
    {
      from: coin,
      to: stranger("refused"),
      error: "no",
      calls: [{ from: coin, to: stranger("never") }],
    },
  ] as const;
  return {
    miner: stranger("producer"),
    withdrawals: [{ address: stranger("validator"), amountGwei: index }],
    state: { balances: { [endowed]: 77n, [stranger("called")]: 5n, [stranger("owner")]: 6n } },
    transactions: [
      { from: stranger("sender"), to: stranger("receiver"), valueWei: 0n },
      {
        to: coin,
        calls,
        logs: [
          transfer(coin, ZERO_ADDRESS, endowed),
          transfer(coin, endowed, stranger("holder")),
          transfer(art, ZERO_ADDRESS, stranger("owner"), word(index)),
          {
            address: multi,
            topics: [
              TRANSFER_SINGLE,
              wordOfAddress(coin),
              wordOfAddress(ZERO_ADDRESS),
              wordOfAddress(stranger("collector")),
            ],
            data: `${word(index)}${word(4).slice(2)}`,
          },
        ],
      },
      { from: stranger("deployer"), to: null, input: "0x60", output: "0xfe" },
      { from: stranger("loser"), to: stranger("target"), error: "reverted" },
    ],
  };
}

it("leaves nothing to be read when a head is published, and every answer is whole at once", async () => {
  const node = await startScriptedNode();
  stopNode = node.stop;
  await watchHeads(node.url);
  await indexer.reach(node.chain.head.block.hash);
  for (let index = 0; index < BLOCKS; index++) {
    const { block, ledger } = node.chain.mine(busyBlock(index));
    const published = async () => {
      const [state] = await api.sql`SELECT head_hash AS hash FROM sync_state`;
      return state?.["hash"] === block.hash;
    };
    await indexer.until(published);
    const accounts = await ask(api.app, "module=account&action=listaccounts&offset=10000");
    const supply = await ask(api.app, "module=stats&action=ethsupply");
    const token = scriptedAddress(`coin ${index - (index % 7)}`);
    const holders = await ask(
      api.app,
      `module=token&action=getTokenHolders&contractaddress=${token}`,
    );
    const listed: { address: Address; balance: string }[] = accounts.result;
    const balances = listed.map(({ address }) => String(ledger.balance(address)));
    expect(listed.map(({ balance }) => balance)).toEqual(balances);
    expect(supply.result).toBe(String(balances.reduce((sum, wei) => sum + BigInt(wei), 0n)));
    expect(holders.result.map(({ address }: { address: Address }) => address)).toContain(
      scriptedAddress(`holder ${index}`),
    );
  }
  const many = Array.from({ length: 8 }, (_, index) => busyBlock(BLOCKS + index));
  const { block } = node.chain.mine(...many);
  await indexer.reach(block.hash);
  const together = await api.sql`SELECT DISTINCT head::int FROM watched WHERE head > ${BLOCKS}`;
  expect(together).toEqual([{ head: BLOCKS + many.length }]);
  await expectWholeHeads(BLOCKS);
});

it("leaves nothing to be read at the heads of a real chain, tokens that change silently included", async () => {
  const anvil = await startAnvil();
  stopNode = anvil.stop;
  const world = await deployWorld(anvil.url);
  await watchHeads(anvil.url);
  const head = async () => {
    const block = await createJsonRpc(anvil.url).request<{ hash: Hex }>(
      "eth_getBlockByNumber",
      "latest",
      false,
    );
    await indexer.reach(block.hash);
  };
  const scenarios = ["fungibles", "collectibles", "multiTokens", "hybrids", "irregulars"] as const;
  for (const scenario of [...scenarios, "rolledBack", "creations", "destructions"] as const) {
    await world.play(scenario);
    await head();
  }
  const random = createRandom(7);
  for (let step = 0; step < 15; step++) {
    await world.step(random);
    await head();
  }
  await expectWholeHeads(50);
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Chain } from "../../../../src/chain/chain.ts";
import { ChainError } from "../../../../src/core/errors.ts";
import type { Address } from "../../../../src/core/evm/address.ts";
import type { Sql } from "../../../../src/db/client.ts";
import { type Anvil, startAnvil } from "../../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../../support/app.ts";
import { type Answer, ask } from "../../../support/ask.ts";
import { startTestIndexer } from "../../../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";
import { callData } from "../../../support/world/contracts.ts";
import { deployWorld, type World } from "../../../support/world/world.ts";

// A real chain, indexed, whose balances are then forgotten or falsified in the database: the answers must not change.

let anvil: Anvil;
let world: World;
let database: TestDatabase;
let server: TestApp;
let first: Address;
let second: Address;
/** Everything that is asked below, answered while nothing is unsure. */
const settled = new Map<string, Answer>();

async function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  const response = await fetch(anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result: Result }).result;
}

function contract(name: string): Address {
  const address = world.contracts[name];
  if (!address) throw new Error(`no contract ${name}`);
  return address;
}

beforeAll(async () => {
  anvil = await startAnvil(["--chain-id", "1234"]);
  world = await deployWorld(anvil.url);
  for (const name of [
    "fungibles",
    "collectibles",
    "multiTokens",
    "irregulars",
    "failedCalls",
  ] as const) {
    await world.play(name);
  }
  [first, second] = world.accounts as [Address, Address];
  database = await createTestDatabase();
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  const head = await rpc<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  await indexer.reach(head.hash);
  await indexer.stop();
  server = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
  for (const query of queries()) settled.set(query, await ask(server.app, query));
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await anvil.stop();
});

/** Balances and lists of them that the node can be asked for. */
function queries(): string[] {
  const tokens = ["fungible", "collectible", "multi"].map(contract);
  const account = "module=account&action";
  return [
    `${account}=balance&address=${first}`,
    `${account}=balancemulti&address=${second},${first}`,
    `${account}=listaccounts&page=1&offset=5`,
    `${account}=tokenlist&address=${first}`,
    `${account}=tokenlist&address=${second}&page=2&offset=2`,
    `${account}=addresstokenbalance&address=${first}`,
    `${account}=addresstokennftbalance&address=${second}`,
    ...tokens.flatMap((token) => [
      `${account}=tokenbalance&contractaddress=${token}&address=${first}`,
      `module=token&action=getTokenHolders&contractaddress=${token}`,
      `module=token&action=getTokenHolders&contractaddress=${token}&page=2&offset=1`,
      `module=token&action=tokenholdercount&contractaddress=${token}`,
      `module=token&action=getToken&contractaddress=${token}`,
    ]),
  ];
}

/** Runs the work and undoes what it did to the database. */
async function undone(work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = database.sql;
  await sql`CREATE SCHEMA kept`;
  const tables = [
    "addresses",
    "tokens",
    "token_balances",
    "token_id_balances",
    "transactions",
    "sync_state",
  ];
  for (const table of tables) {
    await sql`CREATE TABLE ${sql(`kept.${table}`)} AS TABLE ${sql(table)}`;
  }
  try {
    await work(sql);
  } finally {
    for (const table of tables) {
      await sql`TRUNCATE ${sql(table)}`;
      await sql`INSERT INTO ${sql(table)} SELECT * FROM ${sql(`kept.${table}`)}`;
    }
    await sql`DROP SCHEMA kept CASCADE`;
  }
}

/** Falsifies all that is stored of balances, as far as it says that it is to be read. */
async function forget(sql: Sql): Promise<void> {
  await sql`UPDATE addresses SET balance = 77, balance_block = NULL`;
  await sql`UPDATE tokens SET total_supply = 77, supply_block = NULL`;
  await sql`UPDATE token_id_balances SET amount = amount + 1000, block_number = NULL`;
  await sql`
    UPDATE token_balances b SET block_number = NULL, amount = coalesce((
      SELECT sum(amount) FROM token_id_balances i WHERE i.token = b.token AND i.owner = b.owner),
      abs(hashtext(b.owner::text) % 1000) - 300)`;
  await countHolders(sql);
}

/** Keeps the counts in step with the amounts, as the indexer does. */
async function countHolders(sql: Sql): Promise<void> {
  await sql`
    UPDATE tokens SET holder_count = (
      SELECT count(*) FROM token_balances WHERE token = address AND amount > 0)`;
}

describe("balances that are still to be read", () => {
  test("are the node's, in every list at their place", async () => {
    await undone(async (sql) => {
      await forget(sql);
      for (const query of queries()) {
        expect([query, await ask(server.app, query)]).toEqual([query, settled.get(query)]);
      }
    });
  });

  test("of a few owners are merged with those that are known", async () => {
    await undone(async (sql) => {
      await sql`
        UPDATE token_balances SET amount = amount * 3 + 7, block_number = NULL
        WHERE owner = ${second} AND token IN ${sql([contract("fungible"), contract("sibling")])}`;
      await countHolders(sql);
      await sql`UPDATE addresses SET balance = 1, balance_block = NULL WHERE address = ${first}`;
      for (const query of queries()) {
        expect([query, await ask(server.app, query)]).toEqual([query, settled.get(query)]);
      }
    });
  });

  test("are refused in lists when there are too many, and single ones answered still", async () => {
    await undone(async (sql) => {
      const token = contract("fungible");
      await sql`
        INSERT INTO token_balances (token, owner, amount)
        SELECT ${token}, substr(sha256(int8send(n)), 1, 20), 5 FROM generate_series(1, 201) n`;
      const refusal = {
        httpStatus: 503,
        status: "0",
        message: "Balances are still being read from the node, please try again later",
        result: null,
      };
      for (const action of ["getTokenHolders", "tokenholdercount", "topholders"]) {
        const query = `module=token&action=${action}&contractaddress=${token}`;
        expect(await ask(server.app, query)).toEqual(refusal);
      }
      const single = `module=account&action=tokenbalance&contractaddress=${token}&address=${first}`;
      expect(await ask(server.app, single)).toEqual(settled.get(single));
    });
  });
});

test("addresses that the index has never seen have the balance that the node tells", async () => {
  const genesis = world.accounts.at(-1);
  const [known] = await database.sql`SELECT FROM addresses WHERE address = ${genesis as Address}`;
  expect(known).toBeUndefined();
  const query = `module=account&action=balance&address=${genesis}`;
  const wei = BigInt(await rpc<string>("eth_getBalance", genesis, "latest"));
  expect((await ask(server.app, query)).result).toBe(String(wei));
});

test("without traces coin balances are asked of the node, whatever is stored", async () => {
  await undone(async (sql) => {
    await sql`UPDATE addresses SET balance = 1`;
    await sql`UPDATE sync_state SET traced = false`;
    for (const action of ["balance", "balancemulti", "listaccounts"]) {
      for (const query of queries().filter((one) => one.includes(`action=${action}&`))) {
        expect(await ask(server.app, query)).toEqual(settled.get(query));
      }
    }
  });
});

test.each(["tide", "hush", "whisper", "toll"])(
  "of the irregular token %s every answer has what its contract says now",
  async (name) => {
    const token = contract(name);
    await undone(async (sql) => {
      await sql`UPDATE tokens SET irregular = true WHERE address = ${token}`;
      await sql`UPDATE token_balances SET amount = amount + 1 WHERE token = ${token}`;
      const amounts = new Map<string, bigint>();
      for (const owner of world.accounts) {
        const data = callData("Fungible", "balanceOf", owner);
        amounts.set(owner, BigInt(await rpc<string>("eth_call", { to: token, data }, "latest")));
        const query = `module=account&action=tokenbalance&contractaddress=${token}&address=${owner}`;
        expect((await ask(server.app, query)).result).toBe(String(amounts.get(owner)));
      }
      const owners = await sql<{ owner: Address }[]>`
        SELECT owner FROM token_balances WHERE token = ${token}`;
      const holders = owners
        .map(({ owner }) => ({ address: owner, value: amounts.get(owner) ?? 0n }))
        .filter(({ value }) => value > 0n)
        .sort((a, b) =>
          a.value === b.value ? (a.address < b.address ? 1 : -1) : a.value < b.value ? 1 : -1,
        )
        .map(({ address, value }) => ({ address, value: String(value) }));
      const list = `module=token&action=getTokenHolders&contractaddress=${token}`;
      expect((await ask(server.app, list)).result).toEqual(holders);
      const count = `module=token&action=tokenholdercount&contractaddress=${token}`;
      expect((await ask(server.app, count)).result).toBe(String(holders.length));
    });
  },
);

describe("history", () => {
  test("is read from the node at the block that is asked for", async () => {
    const [{ number }] = (await database.sql`
      SELECT head_number / 2 AS number FROM sync_state`) as unknown as [{ number: number }];
    const at = `0x${number.toString(16)}`;
    const wei = BigInt(await rpc<string>("eth_getBalance", first, at));
    const history = `module=account&action=balancehistory&address=${first}&blockno=${number}`;
    expect((await ask(server.app, history)).result).toBe(String(wei));
    const hex = `module=account&action=eth_get_balance&address=${first}&block=${number}`;
    expect((await ask(server.app, hex)).result).toBe(`0x${wei.toString(16)}`);
    const token = contract("fungible");
    const data = callData("Fungible", "balanceOf", first);
    const amount = BigInt((await rpc<string>("eth_call", { to: token, data }, at)) || 0);
    const held = `module=account&action=tokenbalancehistory&contractaddress=${token}&address=${first}&blockno=${number}`;
    expect((await ask(server.app, held)).result).toBe(String(amount));
  });

  test("of the head is the present, for a token of many ids too", async () => {
    const [{ number }] = (await database.sql`
      SELECT head_number AS number FROM sync_state`) as unknown as [{ number: number }];
    const pair = `contractaddress=${contract("multi")}&address=${second}`;
    const present = await ask(server.app, `module=account&action=tokenbalance&${pair}`);
    const past = `module=account&action=tokenbalancehistory&${pair}&blockno=${number}`;
    expect(present.result).not.toBe("0");
    expect((await ask(server.app, past)).result).toBe(present.result);
  });

  test("before the first transfer is nothing, at the earliest block what genesis gave", async () => {
    const pair = `contractaddress=${contract("fungible")}&address=${first}`;
    const past = `module=account&action=tokenbalancehistory&${pair}&blockno=0`;
    expect((await ask(server.app, past)).result).toBe("0");
    const earliest = `module=account&action=eth_get_balance&address=${first}&block=earliest`;
    const wei = await rpc<string>("eth_getBalance", first, "0x0");
    expect((await ask(server.app, earliest)).result).toBe(wei);
  });
});

describe("a reorg while an answer is computed", () => {
  let app: TestApp | undefined;
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  /** An app whose node has left the branch of the head when it is asked, as many times. */
  async function overtaken(times: number): Promise<TestApp> {
    let left = times;
    const chain = Object.create(server.chain) as Chain;
    chain.fetchCoinBalances = async (...query) => {
      if (left-- > 0) throw new ChainError("block-replaced", "gone", { retryable: true });
      return server.chain.fetchCoinBalances(...query);
    };
    app = await createTestApp({ sql: database.sql, chain });
    return app;
  }

  const query = () => `module=account&action=balance&address=${world.accounts.at(-1)}`;

  test("makes it be computed once more", async () => {
    const { app: api } = await overtaken(1);
    expect(await ask(api, query())).toMatchObject({ httpStatus: 200, status: "1" });
  });

  test("refuses it the second time", async () => {
    const { app: api } = await overtaken(2);
    expect(await ask(api, query())).toMatchObject({ httpStatus: 503, status: "0" });
  });
});

test("without traces gettxinfo asks the node what a failed transaction returned", async () => {
  const failed = await database.sql<{ hash: string; revertData: string }[]>`
    SELECT hash, revert_data AS "revertData" FROM transactions
    WHERE status = 0 AND length(revert_data) > 0 AND to_address = ${contract("machine1")}`;
  expect(failed.length).toBeGreaterThan(1);
  await undone(async (sql) => {
    await sql`UPDATE sync_state SET traced = false`;
    await sql`UPDATE transactions SET revert_data = NULL`;
    for (const { hash, revertData } of failed) {
      const query = `module=transaction&action=gettxinfo&txhash=${hash}`;
      expect((await ask(server.app, query)).result.revertReason).toBe(revertData);
    }
  });
});

test("pendingtxlist shows what waits in the node's pool", async () => {
  const receiver = world.accounts.at(-1) as Address;
  const hash = await rpc<string>("eth_sendTransaction", {
    from: first,
    to: receiver,
    value: "0x78",
    gas: "0x5208",
    maxFeePerGas: "0x2e90edd000",
  });
  await server.chain.probe();
  const list = async (more: string) =>
    (await ask(server.app, `module=account&action=pendingtxlist&${more}`)).result;
  const [pending] = await list(`address=${first}`);
  expect(Object.keys(pending)).toEqual([
    "hash",
    "nonce",
    "from",
    "to",
    "value",
    "gas",
    "gasPrice",
    "input",
    "contractAddress",
    "cumulativeGasUsed",
    "gasUsed",
  ]);
  expect(pending).toMatchObject({
    hash,
    from: first,
    to: receiver,
    value: "120",
    gas: "21000",
    gasPrice: "200000000000",
  });
  expect(await list(`address=${receiver}&filter_by=to`)).toHaveLength(1);
  expect(await list(`address=${receiver}&filter_by=from`)).toEqual([]);
  expect(await list(`address=${first}&page=2&offset=1`)).toEqual([]);
  expect(await list(`address=${second}`)).toEqual([]);
});

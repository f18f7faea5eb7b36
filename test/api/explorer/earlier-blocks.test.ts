import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paramsIn } from "../../../src/api/explorer/action.ts";
import type { Dialect } from "../../../src/api/explorer/envelope.ts";
import { actionsIn } from "../../../src/api/explorer/registry.ts";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { startTestIndexer } from "../../support/indexer.ts";
import { createJsonRpc } from "../../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { deployWorld, type World } from "../../support/world/world.ts";

// Two indexes of one chain, of which the second begins later. For any earlier block, transaction or
// time, the second answers as the first, or with the reason why not.

const PATHS = [
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
] as const satisfies readonly [string, Dialect][];
const EXCUSE = /Blocks before \d+ are not indexed|are not known|Historical state is not available/;

interface Block {
  number: Hex;
  hash: Hex;
  timestamp: Hex;
  transactions: { hash: Hex; from: Hex; to: Hex | null }[];
}

let anvil: Anvil;
let world: World;
const databases: TestDatabase[] = [];
let whole: TestApp;
let late: TestApp;
let earlier: Block[];

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return createJsonRpc(anvil.url).request<Result>(method, ...params);
}

async function index(startBlock: number, head: Hex): Promise<TestApp> {
  const database = await createTestDatabase();
  databases.push(database);
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url], startBlock });
  await indexer.reach(head);
  await indexer.stop();
  return createTestApp({ sql: database.sql, nodeUrl: anvil.url });
}

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployWorld(anvil.url);
  await world.play("fungibles");
  await world.play("failedCalls");
  await world.play("multiTokens");
  const startBlock = Number(await rpc<Hex>("eth_blockNumber")) + 1;
  await world.play("fungibles");
  const head = await rpc<Block>("eth_getBlockByNumber", "latest", false);
  [whole, late] = [await index(0, head.hash), await index(startBlock, head.hash)];
  const numbers = [0, 1, startBlock >> 1, startBlock - 2, startBlock - 1];
  earlier = await Promise.all(
    numbers.map((number) => rpc<Block>("eth_getBlockByNumber", `0x${number.toString(16)}`, true)),
  );
});
afterAll(async () => {
  await Promise.all([whole, late].map((server) => server?.close()));
  await Promise.all(databases.map((database) => database.drop()));
  await anvil.stop();
});

/** Old values, for each parameter. */
function oldValues(name: string): string[] {
  const [numbers, hashes] = [earlier.map(({ number }) => number), earlier.map(({ hash }) => hash)];
  switch (name) {
    case "tag":
      return ["earliest", ...numbers];
    case "block":
      return [...numbers.map((number) => String(Number(number))), ...hashes, "earliest"];
    case "blockno":
      return numbers.map((number) => String(Number(number)));
    case "timestamp":
      return earlier.map(({ timestamp }) => String(Number(timestamp)));
    case "txhash":
      return earlier.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
    default:
      return [];
  }
}

/** Arguments of the actions in this world. */
function subjectsOf(example: Readonly<Record<string, string>>): Record<string, string> {
  const { contractaddress, address } = example;
  return {
    ...(contractaddress && { contractaddress: world.contracts["fungible"] ?? "" }),
    ...(address && { address: world.accounts[0] ?? "" }),
  };
}

async function expectSame(request: Parameters<typeof inject>[1], note: unknown) {
  const [old, young] = await Promise.all([whole, late].map((server) => inject(server, request)));
  if (EXCUSE.test(young ?? "")) return;
  // A node's own answer may have further fields.
  expect([note, JSON.parse(young ?? "")]).toMatchObject([note, JSON.parse(old ?? "")]);
}

async function inject(server: TestApp, request: string | { method: string; params: unknown[] }) {
  const response =
    typeof request === "string"
      ? await server.app.inject(request)
      : await server.app.inject({
          method: "POST",
          url: "/api/eth-rpc",
          payload: { jsonrpc: "2.0", id: 1, ...request },
        });
  return response.body;
}

describe.each(PATHS)("below %s", (path, dialect) => {
  const actions = actionsIn(dialect).filter(({ action }) => !action.isSubmission);
  const naming = actions.flatMap(({ module, action }) => {
    return Object.keys(paramsIn(action, dialect).shape)
      .filter((name) => ["tag", "block", "blockno", "timestamp", "txhash"].includes(name))
      .map((name) => ({ module, action, name, title: `${module}/${action.name}` }));
  });

  test.each(naming)("$title of an earlier $name", async ({ module, action, name }) => {
    for (const value of oldValues(name)) {
      for (const closest of "closest" in action.example ? ["before", "after"] : [undefined]) {
        const parameters = {
          module,
          action: action.name,
          ...action.example,
          ...subjectsOf(action.example),
          [name]: value,
          ...(closest && { closest }),
        };
        await expectSame(`${path}?${new URLSearchParams(parameters)}`, parameters);
      }
    }
  });
});

test.each(["eth_getTransactionByHash", "eth_getTransactionReceipt"])("%s", async (method) => {
  for (const hash of oldValues("txhash")) await expectSame({ method, params: [hash] }, hash);
});

test("eth_getBalance", async () => {
  for (const tag of oldValues("tag")) {
    await expectSame({ method: "eth_getBalance", params: [world.accounts[0], tag] }, tag);
  }
});

test("eth_getLogs of a block", async () => {
  const address = world.contracts["fungible"];
  for (const { hash: blockHash } of earlier) {
    await expectSame({ method: "eth_getLogs", params: [{ blockHash, address }] }, blockHash);
  }
});

test("who funded an account that had coins before", async () => {
  for (const address of world.accounts) {
    await expectSame(`/api?module=account&action=fundedby&address=${address}`, address);
  }
});

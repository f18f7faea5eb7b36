import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { startTestIndexer } from "../../../../support/indexer.ts";
import { createJsonRpc } from "../../../../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/postgres.ts";
import { deployWorld, type World } from "../../../../support/world/world.ts";

// A chain whose every block moves coins and tokens, so that a figure of another block is another figure. The node is
// ahead of the index by the end.

let anvil: Anvil;
let world: World;
let database: TestDatabase;
let server: TestApp;
let head: number;
let holder: Address;
let token: Address;

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return createJsonRpc(anvil.url).request<Result>(method, ...params);
}

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployWorld(anvil.url);
  await world.play("fungibles");
  holder = world.accounts[0] as Address;
  token = world.contracts["fungible"] as Address;
  const [, to] = world.accounts as [Address, Address];
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 1n] });
  const move = () => rpc("eth_sendTransaction", { from: holder, to: token, data });
  for (let count = 0; count < 4; count++) await move();
  const block = await rpc<{ number: Hex; hash: Hex }>("eth_getBlockByNumber", "latest", false);
  head = Number(block.number);
  database = await createTestDatabase();
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  await indexer.reach(block.hash);
  await indexer.stop();
  server = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
  await move();
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await anvil.stop();
});

const hex = (number: number): Hex => `0x${number.toString(16)}`;
const invalid = { status: "0", message: "NOTOK", result: "Invalid tag format" };
const found = (result: unknown) => ({ status: "1", message: "OK", result });

async function balances(tag: string | undefined, path: "/api" | "/v2/api" = "/v2/api") {
  const end = tag === undefined ? "" : `&tag=${encodeURIComponent(tag)}`;
  const account = `module=account&address=${holder}`;
  const answers = [
    `${account}&action=balance`,
    `${account}&action=balancemulti`,
    `${account}&action=tokenbalance&contractaddress=${token}`,
  ].map((query) => ask(server.app, `${query}${end}`, path));
  return (await Promise.all(answers)).map(({ httpStatus: _status, ...body }) => body);
}

/** The node's answer after the block. */
async function expected(block: number | string) {
  const at = typeof block === "number" ? hex(block) : block;
  const coins = BigInt(await rpc<Hex>("eth_getBalance", holder, at)).toString();
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [holder] });
  const word = await rpc<Hex>("eth_call", { to: token, data }, at);
  return [
    found(coins),
    found([{ account: holder, balance: coins }]),
    found(String(word === "0x" ? 0n : BigInt(word))),
  ];
}

test.each([undefined, "", "latest", "pending"])("now is the served head: %j", async (tag) => {
  expect(await balances(tag)).toEqual(await expected(head));
});

test("a number in hex is that block, however it is written", async () => {
  const seen = new Set<string>();
  for (let number = head - 4; number <= head; number++) {
    const answers = await balances(hex(number));
    expect(answers).toEqual(await expected(number));
    expect(await balances(`0x${number.toString(16).toUpperCase().padStart(70, "0")}`)).toEqual(
      answers,
    );
    seen.add(JSON.stringify(answers));
  }
  expect(seen.size).toBe(5);
});

test.each(["earliest", "safe", "finalized"])("%s is the node's", async (tag) => {
  expect(await balances(tag)).toEqual(await expected(tag));
});

test("what is above the head, and anything else, is refused", async () => {
  for (const tag of [
    hex(head + 1),
    `0x${"f".repeat(64)}`,
    String(head),
    "0x",
    "Latest",
    " latest",
    "-1",
  ]) {
    expect(await balances(tag)).toEqual([invalid, invalid, invalid]);
  }
});

test("Blockscout's dialect has no tag", async () => {
  const now = await balances(undefined, "/api");
  for (const tag of ["7", "0x1", "earliest"]) expect(await balances(tag, "/api")).toEqual(now);
});

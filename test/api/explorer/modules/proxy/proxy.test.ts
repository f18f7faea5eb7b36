import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { startTestIndexer } from "../../../../support/indexer.ts";
import { createJsonRpc } from "../../../../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/postgres.ts";
import { deployWorld, type World } from "../../../../support/world/world.ts";

// A real chain, whose node keeps mining after the index has stopped: answers must equal the node's, up to the served head.

let anvil: Anvil;
let world: World;
let database: TestDatabase;
let server: TestApp;
let head: { number: Hex; hash: Hex };
let mined: Hex;
let later: Hex;
let waiting: Hex;

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return createJsonRpc(anvil.url).request<Result>(method, ...params);
}

interface Answer {
  jsonrpc: string;
  id: number;
  result?: unknown;
  error?: { code: number; message: string; data?: string };
}

async function ask(
  action: string,
  parameters: Record<string, string> = {},
  app = server.app,
): Promise<Answer> {
  const query = new URLSearchParams({ module: "proxy", action, ...parameters });
  const response = await app.inject(`/v2/api?${query}`);
  expect(response.statusCode).toBe(200);
  expect(response.json()).not.toHaveProperty("status");
  return response.json();
}

const success = (result: unknown) => ({ jsonrpc: "2.0", id: 1, result });
const failure = (code: number, message: string) => ({
  jsonrpc: "2.0",
  id: 1,
  error: { code, message },
});

function contract(name: string): Address {
  const address = world.contracts[name];
  if (!address) throw new Error(`no contract ${name}`);
  return address;
}

const [FIRST, SECOND] = [0, 1].map((index) => () => world.accounts[index] as Address) as [
  () => Address,
  () => Address,
];

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployWorld(anvil.url);
  for (const name of ["fungibles", "failedCalls"] as const) await world.play(name);
  const block = await rpc<{ number: Hex; hash: Hex; transactions: Hex[] }>(
    "eth_getBlockByNumber",
    "latest",
    false,
  );
  head = block;
  mined = block.transactions[0] as Hex;
  database = await createTestDatabase();
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  await indexer.reach(head.hash);
  await indexer.stop();
  server = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
  const send = () => rpc<Hex>("eth_sendTransaction", { from: FIRST(), to: SECOND(), value: "0x1" });
  await rpc("evm_setAutomine", false);
  later = await send();
  await rpc("evm_mine");
  waiting = await send();
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await anvil.stop();
});

const fieldsOf = (object: unknown, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (object as Record<string, unknown>)[name]]));

describe("blocks", () => {
  test("the head is the served one", async () => {
    expect(await ask("eth_blockNumber")).toEqual(success(head.number));
    const latest = await rpc("eth_getBlockByNumber", head.number, false);
    expect(await ask("eth_getBlockByNumber")).toEqual(success(latest));
    expect(await ask("eth_getBlockByNumber", { tag: "latest", boolean: "false" })).toEqual(
      success(latest),
    );
  });

  test.each(["True", "true", "TRUE"])("transactions are whole with boolean=%s", async (boolean) => {
    const tag = `0x${BigInt(head.number).toString(16).toUpperCase().padStart(70, "0")}`;
    expect(await ask("eth_getBlockByNumber", { tag, boolean })).toEqual(
      success(await rpc("eth_getBlockByNumber", head.number, true)),
    );
  });

  test("what is above the served head is not there", async () => {
    const tag = `0x${(BigInt(head.number) + 1n).toString(16)}`;
    expect(await rpc("eth_getBlockByNumber", tag, false)).not.toBeNull();
    for (const above of [tag, "0xffffffff", `0x${"f".repeat(64)}`]) {
      expect(await ask("eth_getBlockByNumber", { tag: above })).toEqual(success(null));
      expect(await ask("eth_getBlockTransactionCountByNumber", { tag: above })).toEqual(
        success(null),
      );
      const place = { tag: above, index: "0x0" };
      expect(await ask("eth_getTransactionByBlockNumberAndIndex", place)).toEqual(success(null));
      expect(await ask("eth_getUncleByBlockNumberAndIndex", place)).toEqual(success(null));
    }
  });

  test.each(["earliest", "safe", "finalized", "pending", "0x1"])(
    "%s is the node's",
    async (tag) => {
      expect((await ask("eth_getBlockByNumber", { tag })).result).toMatchObject(
        fieldsOf(await rpc("eth_getBlockByNumber", tag, false), ["number", "parentHash"]),
      );
      const count = await rpc("eth_getBlockTransactionCountByNumber", tag);
      expect(await ask("eth_getBlockTransactionCountByNumber", { tag })).toEqual(success(count));
      expect(await ask("eth_getUncleByBlockNumberAndIndex", { tag, index: "0" })).toEqual(
        success(null),
      );
    },
  );

  test.each(["7", "0x", "0xzz", "-1", "Latest", " latest", "0x1 ", `0x1${"0".repeat(64)}`])(
    "the tag %j is refused, and never taken for the head",
    async (tag) => {
      const reason = "tag is neither a hex number of up to 256 bits nor a known name";
      expect(await ask("eth_getBlockByNumber", { tag })).toEqual(
        failure(-32_602, `invalid argument 0: ${reason}`),
      );
      expect(await ask("eth_call", { to: contract("fungible"), data: "0x", tag })).toEqual(
        failure(-32_602, `invalid argument 1: ${reason}`),
      );
      const slot = { address: contract("fungible"), position: "0x0", tag };
      expect(await ask("eth_getStorageAt", slot)).toEqual(
        failure(-32_602, `invalid argument 2: ${reason}`),
      );
    },
  );
});

describe("transactions", () => {
  const FIELDS = [
    "hash",
    "from",
    "to",
    "nonce",
    "value",
    "input",
    "gas",
    "type",
    "r",
    "s",
    "blockHash",
    "transactionIndex",
  ];

  test("one that is indexed", async () => {
    const node = await rpc("eth_getTransactionByHash", mined);
    expect(
      fieldsOf((await ask("eth_getTransactionByHash", { txhash: mined })).result, FIELDS),
    ).toEqual(fieldsOf(node, FIELDS));
    const place = { tag: head.number, index: "0x0" };
    for (const given of [place, { ...place, index: "0" }, { ...place, tag: "latest" }]) {
      const { result } = await ask("eth_getTransactionByBlockNumberAndIndex", given);
      expect(fieldsOf(result, FIELDS)).toEqual(fieldsOf(node, FIELDS));
    }
    const { transactions } = await rpc<{ transactions: [] }>(
      "eth_getBlockByNumber",
      head.number,
      false,
    );
    const beyond = { tag: head.number, index: String(transactions.length) };
    expect(await ask("eth_getTransactionByBlockNumberAndIndex", beyond)).toEqual(success(null));
  });

  test("its receipt, and none of one that is not indexed", async () => {
    const names = [
      "transactionHash",
      "blockHash",
      "gasUsed",
      "cumulativeGasUsed",
      "effectiveGasPrice",
      "status",
      "logsBloom",
    ];
    const receipt = await rpc<{ logs: object[] }>("eth_getTransactionReceipt", mined);
    const { result } = await ask("eth_getTransactionReceipt", { txhash: mined });
    expect(fieldsOf(result, names)).toEqual(fieldsOf(receipt, names));
    expect((result as { logs: object[] }).logs).toHaveLength(receipt.logs.length);
    for (const txhash of [later, waiting, `0x${"ab".repeat(32)}`]) {
      expect(await ask("eth_getTransactionReceipt", { txhash })).toEqual(success(null));
    }
  });

  test("one that waits, or is in a block that is not served yet, has no block", async () => {
    for (const txhash of [later, waiting]) {
      expect((await ask("eth_getTransactionByHash", { txhash })).result).toMatchObject({
        hash: txhash,
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
      });
    }
    const txhash = `0x${"ab".repeat(32)}`;
    expect(await ask("eth_getTransactionByHash", { txhash })).toEqual(success(null));
  });

  test("the pool counts for the nonce of a wallet", async () => {
    const address = FIRST();
    const latest = await rpc("eth_getTransactionCount", address, "latest");
    const pending = await rpc("eth_getTransactionCount", address, "pending");
    expect(pending).not.toBe(latest);
    expect(await ask("eth_getTransactionCount", { address })).toEqual(success(latest));
    expect(await ask("eth_getTransactionCount", { address, tag: "pending" })).toEqual(
      success(pending),
    );
  });
});

describe("state and calls", () => {
  test("code and storage", async () => {
    const address = contract("fungible");
    const code = await rpc("eth_getCode", address, "latest");
    expect(await ask("eth_getCode", { address })).toEqual(success(code));
    expect(await ask("eth_getCode", { address: FIRST(), tag: "safe" })).toEqual(success("0x"));
    for (const position of ["0x0", "0x0000", "0", "2", "0x02", `0x${"0".repeat(63)}2`]) {
      const word = await rpc(
        "eth_getStorageAt",
        address,
        `0x${BigInt(position).toString(16)}`,
        "latest",
      );
      expect(await ask("eth_getStorageAt", { address, position })).toEqual(success(word));
    }
    const position = `0x1${"0".repeat(64)}`;
    expect((await ask("eth_getStorageAt", { address, position })).error?.code).toBe(-32_602);
  });

  test("a call, however its parameters are written", async () => {
    const to = contract("fungible");
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [FIRST()] });
    const expected = success(await rpc("eth_call", { to, data }, "latest"));
    const accessList = `[{address:"${to}",storageKeys:["0x${"00".repeat(32)}"]}]`;
    for (const given of [
      { to, data },
      { to, input: data },
      { to, data, tag: "latest", from: FIRST(), value: "0", gasLimit: "0x00ffffff", nonce: "0x00" },
      { to, data: data.toUpperCase().replace("0X", "0x"), gas: "1000000", gasLimit: "1" },
      {
        to,
        data,
        from: FIRST(),
        maxFeePerGas: "0x04a817c800",
        maxPriorityFeePerGas: "1",
        type: "0x2",
        accessList,
      },
      { to, data, accessList: JSON.stringify([{ address: to, storageKeys: [] }]), from: "" },
    ]) {
      expect(await ask("eth_call", given)).toEqual(expected);
    }
    // As both ethers post it: a form whose values are not percent-encoded.
    const payload = `module=proxy&action=eth_call&to=${to}&data=${data}&accessList=${accessList}&tag=latest&apikey=null`;
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    const posted = await server.app.inject({ method: "POST", url: "/v2/api", headers, payload });
    expect(posted.json()).toEqual(expected);
  });

  test("a creation needs no receiver, and a call has one or data", async () => {
    const data = "0x600160005260206000f3";
    expect(await ask("eth_call", { data })).toEqual(
      success(await rpc("eth_call", { data }, "latest")),
    );
    expect(await ask("eth_call", { tag: "latest", to: "" })).toEqual(
      failure(-32_602, "missing value for required argument 0"),
    );
  });

  test.each([
    ["eth_call", { to: "0x12" }, "invalid argument 0: to is no address"],
    ["eth_call", { data: "0x1" }, "invalid argument 0: data is no hex data"],
    [
      "eth_call",
      { data: "0x", value: "1e3" },
      "invalid argument 0: value is neither a hex number of up to 256 bits nor decimal digits",
    ],
    [
      "eth_call",
      { data: "0x", accessList: "[{" },
      "invalid argument 0: accessList is not a list of addresses and storage keys",
    ],
    [
      "eth_getBlockByNumber",
      { boolean: "1" },
      "invalid argument 1: boolean is neither true nor false",
    ],
    ["eth_getTransactionByHash", { txhash: "0x12" }, "invalid argument 0: txhash is no hash"],
    ["eth_getTransactionByHash", { txhash: "" }, "missing value for required argument 0"],
  ] as const)("%s of %j", async (action, given, message) => {
    expect(await ask(action, { ...given })).toEqual(failure(-32_602, message));
  });

  test("a revert has the node's error with its data", async () => {
    const to = contract("fungible");
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [SECOND(), 2n ** 255n],
    });
    const node = await fetch(anvil.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_call",
        params: [{ to, data }, "latest"],
      }),
    });
    const { error } = (await node.json()) as Answer;
    expect(error?.data).toMatch(/^0x[0-9a-f]+$/);
    for (const action of ["eth_call", "eth_estimateGas"]) {
      expect(await ask(action, { to, data })).toMatchObject({ id: 1, error });
    }
  });

  test("gas: the node's estimates", async () => {
    const transfer = { to: SECOND(), value: "0x01", from: FIRST() };
    expect(await ask("eth_estimateGas", transfer)).toEqual(success("0x5208"));
    expect(await ask("eth_gasPrice")).toEqual(success(await rpc("eth_gasPrice")));
    expect(await ask("eth_maxPriorityFeePerGas")).toEqual(
      success(await rpc("eth_maxPriorityFeePerGas")),
    );
  });

  test("a broken transaction is the node's to refuse, and none is sent where that is off", async () => {
    const sent = await ask("eth_sendRawTransaction", { hex: "0x00" });
    expect(sent.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    const app = await createTestApp({ sendRawTransaction: false, nodeUrl: anvil.url });
    expect(await ask("eth_sendRawTransaction", { hex: "0x00" }, app.app)).toEqual(
      failure(-32_601, "the method eth_sendRawTransaction does not exist/is not available"),
    );
    await app.close();
  });
});

describe("what cannot be answered", () => {
  const unreachable = failure(-32_603, "upstream node is not reachable");

  test("a node that is away", async () => {
    const app = await createTestApp({ sql: database.sql });
    for (const action of ["eth_gasPrice", "eth_getBlockByNumber", "eth_maxPriorityFeePerGas"]) {
      expect(await ask(action, {}, app.app)).toEqual(unreachable);
    }
    const address = FIRST();
    expect(await ask("eth_getCode", { address }, app.app)).toEqual(unreachable);
    expect(await ask("eth_blockNumber", {}, app.app)).toEqual(success(head.number));
    await app.close();
  });

  test("the first load is told of by the words of all modules", async () => {
    await database.sql`UPDATE sync_state SET indexed = false`;
    expect(await ask("eth_getTransactionReceipt", { txhash: mined })).toEqual(
      failure(-32_000, "The first synchronisation is still running, please try again later"),
    );
    expect(await ask("eth_blockNumber")).toEqual(success(head.number));
    await database.sql`UPDATE sync_state SET indexed = true`;
  });

  test("the rate limit and the chain have the explorer's envelope", async () => {
    const app = await createTestApp({ sql: database.sql, rateLimit: 1 });
    const url = "/v2/api?module=proxy&action=eth_blockNumber";
    const other = await app.app.inject(`${url}&chainid=1`);
    expect(other.statusCode).toBe(200);
    expect(other.json()).toMatchObject({ status: "0", message: "NOTOK" });
    const limited = await app.app.inject(url);
    expect(limited.statusCode).toBe(429);
    expect(limited.json()).toEqual({
      status: "0",
      message: "NOTOK",
      result: "Max rate limit reached",
    });
    await app.close();
  });
});

import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, blockHash, publish, setSyncState, wordAt } from "../../support/build.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const ADDRESS = addressAt(1);
const REQUEST = { jsonrpc: "2.0", id: 7 };

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({ nodeUrl: node.url });
  await publish(server.sql, { blocks: [{ number: 0 }, { number: 0x733 }] });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});
beforeEach(() => node.heal());

function post(payload: string, options: InjectOptions = {}) {
  return server.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    headers: { "content-type": "application/json" },
    payload,
    ...options,
  });
}

async function ask(body: unknown) {
  const response = await post(JSON.stringify(body));
  expect(response.statusCode).toBe(200);
  return response.json();
}

describe("the transport", () => {
  const request = JSON.stringify({ ...REQUEST, method: "eth_blockNumber", params: [] });
  const answer = '{"jsonrpc":"2.0","result":"0x733","id":7}';

  test.each(["/api/eth-rpc", "/api/v1/eth-rpc", "/api/eth-rpc/"])("is POST on %s", async (url) => {
    const response = await post(request, { url });
    expect(response.body).toBe(answer);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test.each<[string, InjectOptions]>([
    ["no content type", { headers: {} }],
    [
      "the type of a form, as curl has it",
      { headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    ["text", { headers: { "content-type": "text/plain" } }],
  ])("takes JSON text under %s", async (_what, options) => {
    expect((await post(request, options)).body).toBe(answer);
  });

  test("gives a large id back with all its digits, in a batch too", async () => {
    const large = request.replace('"id":7', '"id":9007199254740993');
    const echoed = answer.replace('"id":7', '"id":9007199254740993');
    expect((await post(large)).body).toBe(echoed);
    expect((await post(`[${large},${request}]`)).body).toBe(`[${echoed},${answer}]`);
  });

  test("takes JSON text as the name of an encoded form", async () => {
    const response = await post(`${encodeURIComponent(request)}=`, {
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(response.body).toBe(answer);
  });

  test.each(["{", "[", "nothing", "%7B", `${"[".repeat(5000)}${"]".repeat(5000)}`])(
    "answers a parse error to %j",
    async (payload) => {
      const response = await post(payload);
      expect(response.statusCode).toBe(400);
      expect(response.body).toBe(
        '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}',
      );
    },
  );

  test("takes an empty body for an empty object", async () => {
    expect((await post("")).json()).toEqual({
      jsonrpc: "2.0",
      error: "id is a required field",
      id: 0,
    });
  });

  test("refuses a body that is too large", async () => {
    const response = await post("x".repeat(20_000_001));
    expect(response.statusCode).toBe(413);
    expect(response.json()).toEqual({ status: "0", message: "Payload Too Large", result: null });
  });
});

describe("a batch", () => {
  test("is answered in its order, every entry", async () => {
    const answers = await ask([
      { ...REQUEST, id: 1, method: "eth_blockNumber" },
      { ...REQUEST, id: "2", method: "nothing" },
      5,
      { jsonrpc: "2.0", method: "eth_chainId" },
      { ...REQUEST, id: 5, method: "eth_getCode", params: [ADDRESS, "latest"] },
    ]);
    expect(answers).toEqual([
      { jsonrpc: "2.0", result: "0x733", id: 1 },
      { jsonrpc: "2.0", error: "Action not found.", id: "2" },
      { jsonrpc: "2.0", error: "Method, and jsonrpc are required parameters.", id: null },
      { jsonrpc: "2.0", error: "id is a required field", id: 0 },
      { jsonrpc: "2.0", result: "0x", id: 5 },
    ]);
  });

  test("of none is answered by none", async () => {
    expect(await ask([])).toEqual([]);
  });

  test("of one is answered by a list", async () => {
    expect(await ask([{ ...REQUEST, method: "eth_chainId" }])).toEqual([
      { jsonrpc: "2.0", result: "0x7a69", id: 7 },
    ]);
  });

  test("of more than five is refused", async () => {
    const response = await post(
      JSON.stringify(Array(6).fill({ ...REQUEST, method: "eth_chainId" })),
    );
    expect(response.statusCode).toBe(413);
    expect(response.body).toBe(
      '{"status":"0","message":"Payload Too Large. Max batch size is 5","result":null}',
    );
  });

  test("reaches the node as one batch", async () => {
    const before = node.requests.length;
    const call = (index: number) => ({
      ...REQUEST,
      id: index,
      method: "eth_getTransactionCount",
      params: [addressAt(index), "latest"],
    });
    await ask([call(1), { ...REQUEST, method: "eth_chainId" }, call(2)]);
    const sent = node.requests
      .slice(before)
      .filter((calls) => calls.some(({ method }) => method === "eth_getTransactionCount"));
    expect(sent.map((calls) => calls.map(({ params }) => params))).toEqual([
      [
        [addressAt(1), "latest"],
        [addressAt(2), "latest"],
      ],
    ]);
  });
});

describe("an entry is checked in the contract's order", () => {
  const forwarded = { ...REQUEST, method: "eth_getCode" };
  test.each<[unknown, string]>([
    [{ ...forwarded, params: [] }, "Incorrect number of params."],
    [{ ...forwarded, params: [ADDRESS, "latest", "more"] }, "Incorrect number of params."],
    [{ ...forwarded, params: ["0x1", "latest"] }, "Invalid address"],
    [{ ...forwarded, jsonrpc: "1.0", params: [] }, "invalid rpc version"],
    [{ ...REQUEST, jsonrpc: 2, method: "nothing" }, "invalid rpc version"],
    [{ ...REQUEST, method: "eth_blockNumber", params: ["latest"] }, "Incorrect number of params."],
    [{ ...REQUEST, method: "eth_getBalance" }, "Incorrect number of params."],
    [{ ...REQUEST, method: "nothing", params: [] }, "Action not found."],
    [{ ...REQUEST, method: "constructor", params: [] }, "Action not found."],
    [{ ...REQUEST, method: 5, params: [] }, "Action not found."],
    [{ ...REQUEST, method: "web3_clientVersion", params: [] }, "Action not found."],
    [forwarded, "Action not found."],
    [{ ...REQUEST, method: "eth_getLogs", params: {} }, "Invalid params. Params must be a list."],
    [{ ...forwarded, params: "0x" }, "Invalid params. Params must be a list."],
    [{ id: 7, method: "eth_blockNumber", params: [] }, "Invalid params. Params must be a list."],
    [{ id: 7, method: "eth_blockNumber" }, "Method, and jsonrpc are required parameters."],
    [{ id: 7, jsonrpc: "2.0" }, "Method, and jsonrpc are required parameters."],
  ])("%j: %s", async (request, error) => {
    expect(await ask(request)).toEqual({ jsonrpc: "2.0", error, id: 7 });
  });

  test.each<[unknown, unknown]>([
    [7, 7],
    [1.5, 1.5],
    ['a "quoted" é', 'a "quoted" é'],
    ["", ""],
    [null, null],
    [true, null],
    [{ a: 1 }, null],
  ])("the id %j comes back as %j", async (id, expected) => {
    expect(await ask({ jsonrpc: "2.0", method: "eth_blockNumber", id })).toEqual({
      jsonrpc: "2.0",
      result: "0x733",
      id: expected,
    });
  });
});

describe("forwarded methods", () => {
  const HASH = blockHash(1);
  const call = { to: ADDRESS, data: "0x1234" };

  test.each<[string, unknown[], string]>([
    ["eth_getTransactionCount", ["0x12", "latest"], "Invalid address"],
    ["eth_getTransactionCount", [ADDRESS, "newest"], "Invalid block number"],
    ["eth_getTransactionCount", [ADDRESS, 5], "Invalid block number"],
    ["eth_getStorageAt", ["", "x", "x"], "Invalid address"],
    ["eth_getStorageAt", [ADDRESS, "1", "x"], "Invalid integer"],
    ["eth_getStorageAt", [ADDRESS, "0x1", "10"], "Invalid block number"],
    ["eth_getBlockByNumber", ["latest", "true"], "Invalid bool"],
    ["eth_getBlockByHash", ["0x12", true], "Invalid hash"],
    ["eth_getBlockByHash", [HASH, null], "Invalid bool"],
    ["eth_sendRawTransaction", ["0x123"], "Invalid hex data"],
    ["eth_call", [{}, "latest"], "Missed `to` address"],
    ["eth_call", ["0x", "latest"], "Missed `to` address"],
    ["eth_call", [{ to: "0x12" }, "latest"], "Invalid `to` address"],
    ["eth_call", [{ to: ADDRESS, from: 5 }, "latest"], "Invalid `from` address"],
    ["eth_call", [{ to: ADDRESS, gas: 5 }, "latest"], "Invalid `gas` quantity"],
    ["eth_call", [{ to: ADDRESS, gasPrice: "5" }, "latest"], "Invalid `gasPrice` quantity"],
    ["eth_call", [{ to: ADDRESS, value: "x" }, "latest"], "Invalid `value` quantity"],
    ["eth_call", [{ to: ADDRESS, input: "0x1" }, "latest"], "Invalid `input` data"],
    ["eth_estimateGas", [{ to: ADDRESS, data: "12" }, "latest"], "Invalid `data` data"],
    ["eth_estimateGas", [call, "0xg"], "Invalid block number"],
    ["eth_call", [call, { blockHash: "0x12" }], "Invalid block number"],
  ])("%s of %j is refused: %s", async (method, params, error) => {
    const before = node.requests.length;
    expect(await ask({ ...REQUEST, method, params })).toEqual({ jsonrpc: "2.0", error, id: 7 });
    expect(node.requests.length).toBe(before);
  });

  test.each<[string, unknown[], unknown[]]>([
    ["eth_getTransactionCount", [ADDRESS], [ADDRESS, "latest"]],
    ["eth_getStorageAt", [ADDRESS, "0x"], [ADDRESS, "0x", "latest"]],
    ["eth_getCode", [ADDRESS, "finalized"], [ADDRESS, "finalized"]],
    ["eth_getCode", [ADDRESS, "0x"], [ADDRESS, "0x"]],
    [
      "eth_call",
      [call, { blockHash: HASH, requireCanonical: true }],
      [call, { blockHash: HASH, requireCanonical: true }],
    ],
    ["eth_call", [call, { blockNumber: "0x1" }], [call, { blockNumber: "0x1" }]],
    ["eth_call", [call, "latest", { [ADDRESS]: {} }], [call, "latest", { [ADDRESS]: {} }]],
    ["eth_estimateGas", [{ data: "0x6000" }], [{ data: "0x6000" }, "latest"]],
    [
      "eth_call",
      [{ to: null, from: null, input: "0x" }, "safe"],
      [{ to: null, from: null, input: "0x" }, "safe"],
    ],
    ["eth_sendRawTransaction", ["0x02f8"], ["0x02f8"]],
    ["eth_call", [{ ...call, gas: "0x2faf080" }], [{ ...call, gas: "0x2faf080" }, "latest"]],
    ["eth_call", [{ ...call, gas: "0x2faf081" }], [{ ...call, gas: "0x2faf080" }, "latest"]],
    ["eth_call", [{ ...call, gas: "0x0ffffffffffff" }], [{ ...call, gas: "0x2faf080" }, "latest"]],
    ["eth_call", [{ ...call, GAS: "0xffffffffffff" }], [{ ...call, GAS: "0x2faf080" }, "latest"]],
    ["eth_call", [{ ...call, gas: "0x" }], [{ ...call, gas: "0x" }, "latest"]],
    ["eth_call", [{ ...call, gasLimit: 1e12 }], [{ ...call, gasLimit: "0x2faf080" }, "latest"]],
    ["eth_call", [{ ...call, Gas: "99000000" }], [{ ...call, Gas: "0x2faf080" }, "latest"]],
    [
      "eth_estimateGas",
      [{ ...call, gasLimit: `0x${"f".repeat(100)}` }],
      [{ ...call, gasLimit: "0x2faf080" }, "latest"],
    ],
  ])("%s of %j reaches the node", async (method, params, sent) => {
    const error = { code: -32000, message: "the node's answer" };
    node.fail({ method, effect: { kind: "error", ...error } });
    expect(await ask({ ...REQUEST, method, params })).toEqual({ jsonrpc: "2.0", error, id: 7 });
    expect(node.requests.at(-1)).toEqual([expect.objectContaining({ method, params: sent })]);
  });

  test("an error of the node comes back as it is", async () => {
    node.fail({
      method: "eth_call",
      effect: { kind: "error", code: 3, message: "execution reverted: no", data: "0x08c379a0" },
    });
    expect(await ask({ ...REQUEST, method: "eth_call", params: [call, "latest"] })).toEqual({
      jsonrpc: "2.0",
      error: { code: 3, message: "execution reverted: no", data: "0x08c379a0" },
      id: 7,
    });
  });

  test("a node that cannot be reached is an error without its address", async () => {
    const alone = await createTestApp();
    const response = await alone.app.inject({
      method: "POST",
      url: "/api/eth-rpc",
      payload: { ...REQUEST, method: "eth_getCode", params: [ADDRESS, "latest"] },
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32603, message: "upstream node is not reachable" },
      id: 7,
    });
    await alone.close();
  });

  test("calls of a client that went away are given up, those of one that asks too much refused", async () => {
    const base = await server.app.listen({ port: 0, host: "127.0.0.1" });
    const send = (id: number, signal: AbortSignal) =>
      fetch(`${base}/api/eth-rpc`, {
        method: "POST",
        signal,
        body: JSON.stringify({ ...REQUEST, id, method: "eth_call", params: [call] }),
      });
    node.fail({ method: "eth_call", effect: { kind: "stall" } });
    const before = node.count("eth_call");
    const gone = new AbortController();
    const answered: number[] = [];
    const all = Array.from({ length: 40 }, async (_, id) => {
      const response = await send(id, gone.signal);
      expect(await response.json()).toMatchObject({ error: { code: -32_005 }, id });
      answered.push(id);
    });
    await expect.poll(() => answered.length).toBe(40 - 2 - 32);
    gone.abort();
    await Promise.allSettled(all);
    const code = { ...REQUEST, method: "eth_getCode", params: [ADDRESS, "latest"] };
    await expect.poll(() => ask(code)).toMatchObject({ result: "0x" });
    expect(node.count("eth_call") - before).toBeLessThan(32);
  });

  test("eth_sendRawTransaction can be switched off", async () => {
    const closed = await createTestApp({ nodeUrl: node.url, sendRawTransaction: false });
    const response = await closed.app.inject({
      method: "POST",
      url: "/api/eth-rpc",
      payload: { ...REQUEST, method: "eth_sendRawTransaction", params: ["0x02f8"] },
    });
    expect(response.json().error).toBe("Action not found.");
    await closed.close();
  });
});

describe("gas prices", () => {
  test.each([
    ["eth_gasPrice", "0x77359400"],
    ["eth_maxPriorityFeePerGas", "0x3b9aca00"],
  ])("%s is the node's, or not estimated", async (method, price) => {
    expect((await ask({ ...REQUEST, method })).result).toBe(price);
    node.fail({ method, effect: { kind: "error", code: -32000, message: "no" } });
    expect(await ask({ ...REQUEST, method })).toEqual({
      jsonrpc: "2.0",
      error: "Gas price is not estimated yet",
      id: 7,
    });
  });
});

test("while the first load runs only the methods that need no index answer", async () => {
  const loading = await createTestApp({ nodeUrl: node.url });
  await publish(loading.sql, { blocks: [{ number: 5 }], syncState: { indexed: false } });
  const response = await loading.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: [
      { ...REQUEST, method: "eth_blockNumber" },
      { ...REQUEST, method: "eth_getTransactionByHash", params: [wordAt(1)] },
      { ...REQUEST, method: "eth_getCode", params: [ADDRESS] },
    ],
  });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual([
    { jsonrpc: "2.0", result: "0x5", id: 7 },
    {
      jsonrpc: "2.0",
      error: "The first synchronisation is still running, please try again later",
      id: 7,
    },
    { jsonrpc: "2.0", result: "0x", id: 7 },
  ]);
  await setSyncState(loading.sql, { indexed: true });
  await loading.close();
});

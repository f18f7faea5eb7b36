import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOfAnswer, errorOfBatch } from "../../src/chain/errors/errors.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { openChain } from "../support/test-chain.ts";
import { DEVELOPER_KEY, type Geth, startGeth } from "./geth.ts";

const developer = privateKeyToAccount(DEVELOPER_KEY);
const NEVER: Hex = `0x${"ab".repeat(32)}`;
/** Creation code that reverts with `Error("no")`, as Solidity encodes it. */
const REVERTS_WITH_REASON: Hex = `0x6064600a5f3960645ffd08c379a0${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"6e6f".padEnd(64, "0")}`;
const REVERTS: Hex = "0x5f5ffd";
const LOOPS: Hex = "0x5b5f56";
const INVALID: Hex = "0xfe";
const UNDERFLOWS: Hex = "0x50";
const tracer = { tracer: "callTracer" };

function sign(chainId: number, nonce: number): Promise<Hex> {
  return developer.signTransaction({
    ...{ chainId, nonce, type: "eip1559", to: developer.address, value: 1n, gas: 21_000n },
    ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  });
}

describe("what geth says when it cannot answer", () => {
  /** More than the 128 states of a node without archive. */
  const BLOCKS = 135;
  let geth: Geth;
  let rpc: JsonRpc;

  beforeAll(async () => {
    geth = await startGeth(["--gcmode", "full", "--state.scheme", "path", "--history.state", "1"]);
    rpc = createJsonRpc(geth.url);
    const chainId = Number(await rpc.request("eth_chainId"));
    for (let nonce = 0; nonce < BLOCKS; nonce++) {
      await rpc.request("eth_sendRawTransaction", await sign(chainId, nonce));
      while (Number(await rpc.request("eth_blockNumber")) <= nonce) await sleep(5);
    }
  });

  afterAll(() => geth?.stop());

  it.each<[string, string, ...unknown[]]>([
    ["reverted", "eth_call", { data: REVERTS_WITH_REASON }, "latest"],
    ["reverted", "eth_call", { data: REVERTS }, "latest"],
    ["reverted", "eth_call", { data: INVALID }, "latest"],
    ["reverted", "eth_call", { data: UNDERFLOWS }, "latest"],
    ["reverted", "eth_estimateGas", { data: REVERTS_WITH_REASON }],
    ["out-of-gas", "eth_call", { data: LOOPS }, "latest"],
    ["out-of-gas", "eth_estimateGas", { data: LOOPS }],
    ["state-unavailable", "eth_getBalance", developer.address, "0x1"],
    ["state-unavailable", "eth_call", { to: developer.address }, "0x1"],
    ["state-unavailable", "debug_traceBlockByNumber", "0x2", tracer],
    ["block-unknown", "eth_getBalance", developer.address, "0xffff"],
    ["block-unknown", "eth_getBalance", developer.address, { blockHash: NEVER }],
    ["block-unknown", "debug_traceBlockByNumber", "0xffff", tracer],
    ["block-unknown", "debug_traceBlockByHash", NEVER, tracer],
    ["block-unknown", "eth_getLogs", { blockHash: NEVER }],
    ["block-unknown", "eth_getLogs", { fromBlock: "0x5", toBlock: "0xffff" }],
    ["invalid-request", "eth_getLogs", { fromBlock: "0x5", toBlock: "0x1" }],
    ["invalid-request", "eth_getLogs", { topics: [null, null, null, null, null] }],
    ["invalid-request", "eth_getLogs", { address: Array(1_100).fill(developer.address) }],
    ["invalid-request", "eth_getBalance"],
    ["method-missing", "eth_nothing"],
    ["method-missing", "admin_nodeInfo"],
    ["method-missing", "trace_block", "0x1"],
  ])("is %s to %s %j", async (expected, method, ...params) => {
    const [answer] = await rpc.batch([{ method, params }]);
    if (!answer?.error) throw new Error(`no error but ${JSON.stringify(answer?.result)}`);
    expect(errorOfAnswer("geth", answer.error).code, answer.error.message).toBe(expected);
  });

  it("asks for a smaller batch", async () => {
    const calls = Array.from({ length: 1_001 }, (_, id) => ({ id, method: "eth_chainId" }));
    const response = await fetch(geth.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls.map((call) => ({ jsonrpc: "2.0", params: [], ...call }))),
    });
    const [refused] = (await response.json()) as { error: { code: number; message: string } }[];
    expect(refused && errorOfBatch("geth", refused.error).code).toBe("batch-too-large");
    const { chain } = openChain([geth], { batchSize: 2_000 });
    const { number, hash } = await chain.fetchHead();
    const balances = await chain.fetchCoinBalances(Array(1_500).fill(developer.address), {
      number,
      hash,
    });
    expect(new Set(balances).size).toBe(1);
  });

  it("knows no state of a block that was taken back, which the client tells as such", async () => {
    const { chain } = openChain([geth]);
    const { number, hash } = await chain.fetchHead();
    await rpc.request("debug_setHead", numberToHex(number - 2));
    const asked = chain.fetchCoinBalances(
      [developer.address.toLowerCase() as Hex],
      { number, hash },
      { reportReorgs: true },
    );
    await expect(asked).rejects.toMatchObject({ code: "block-unknown" });
  });
});

describe("geth's pool", () => {
  let geth: Geth;
  let server: TestApp;
  const hashes: Hex[] = [];

  beforeAll(async () => {
    geth = await startGeth(["--dev.period", "3600"]);
    server = await createTestApp({ nodeUrl: geth.url });
    const { chainId } = await server.chain.probe();
    const rpc = createJsonRpc(geth.url);
    // The last one waits for others before it.
    for (const nonce of [0, 1, 7]) {
      hashes.push(await rpc.request("eth_sendRawTransaction", await sign(chainId, nonce)));
    }
  });

  afterAll(async () => {
    await server?.close();
    await geth?.stop();
  });

  it("is listed by pendingtxlist, with what waits for others", async () => {
    const url = `/api?module=account&action=pendingtxlist&address=${developer.address}`;
    const { result } = (await server.app.inject(url)).json<{
      result: { hash: Hex; nonce: string; from: string; value: string; gasPrice: string }[];
    }>();
    expect(result.map(({ hash }) => hash).sort()).toEqual([...hashes].sort());
    expect(result.map(({ nonce }) => nonce).sort()).toEqual(["0", "1", "7"]);
    for (const one of result) {
      const from = developer.address.toLowerCase();
      expect(one).toMatchObject({ from, value: "1", gasPrice: "100000000000" });
    }
  });

  it.each([
    ["pending", "0x2"],
    ["latest", "0x0"],
  ])("counts in the %s nonce", async (block, expected) => {
    const payload = {
      ...{ jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount" },
      params: [developer.address, block],
    };
    const answer = await server.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
    expect(answer.json()).toMatchObject({ result: expected });
  });

  it("refuses in its own words what it has already", async () => {
    const chainId = Number(await createJsonRpc(geth.url).request("eth_chainId"));
    const payload = {
      ...{ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction" },
      params: [await sign(chainId, 0)],
    };
    const answer = await server.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
    expect(answer.json()).toMatchObject({ error: { message: "already known" } });
  });
});

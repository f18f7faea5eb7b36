import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BUOY_METADATA,
  BUOY_SOURCE,
} from "../src/api/explorer/modules/contract/verification/sample-buoy.ts";
import { sampleAddress } from "../src/devnet/world.ts";
import { askExample, bodyOf, isAction, listOperations } from "./support/example-requests.ts";
import { createJsonRpc } from "./support/oracle/json-rpc.ts";
import { type SampleWorld, startSampleWorld } from "./support/sample-world.ts";
import { shapeOf, shorten } from "./support/short-answer.ts";

/** EIP-1967. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

/** Actions that the sample chain has nothing for, and why. */
const WITHOUT_DATA: Readonly<Record<string, string>> = {
  "account/txsBeaconWithdrawal": "a development chain has no consensus layer to withdraw from",
  "transaction/listtransfers":
    "the sample chain's transactions with transfers have other hashes each time",
  "account/userops": "the sample chain has no EntryPoint",
  "transaction/listuserops": "the sample chain has no EntryPoint",
  "proxy/eth_getUncleByBlockNumberAndIndex": "a development chain has no uncles",
  "proxy/eth_sendRawTransaction": "a signed transaction is good for once",
  "contract/verify_vyper_contract": "no Vyper compiler is bundled",
};

let folder: string;
let world: SampleWorld;
let origin: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-examples-"));
  world = await startSampleWorld(folder);
  ({ origin } = world);
});
afterAll(async () => {
  await world.end();
  await rm(folder, { recursive: true, force: true });
});

const operations = listOperations().map((each) => ({
  ...each,
  reason: WITHOUT_DATA[each.route.replace(/^\/(?:v2\/)?api\//, "")],
}));

/** `npm run examples` records it. */
function documentedAnswer({ operation }: (typeof operations)[number]): unknown {
  return operation.responses["200"]?.content?.["application/json"]?.example;
}

/** Returns whether a result has content: no null, no empty text, list or object, nor an object of only these. */
function isData(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  if (Array.isArray(value)) return value.length > 0 && value.every(isData);
  return typeof value === "object" ? Object.values(value).some(isData) : true;
}

test.each(operations.filter(({ route, method }) => method === "post" && isAction(route)))(
  "$route requires what its documentation says",
  async ({ route, operation }) => {
    const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
    const required = schema?.required ?? [];
    expect(required.length).toBeGreaterThan(1);
    for (const name of required) {
      const { [name]: _left, ...rest } = example ?? {};
      const response = await fetch(origin + route, {
        method: "POST",
        body: JSON.stringify(rest),
        headers: { "content-type": "application/json" },
      });
      const text = await response.text();
      expect([name, text]).toEqual([name, expect.stringMatching(/required|Missing|attach/)]);
    }
  },
);

describe("at the first start", () => {
  // In this order: the same contract is verified under one dialect, and found to be verified under the other.
  test.each(operations.filter(({ reason, route }) => !reason && isAction(route)))(
    "$route answers its example with data",
    async (operation) => {
      const { httpStatus, text } = await askExample(origin, operation);
      const body = JSON.parse(text) as { status?: string; result?: unknown };
      const isRepeated = operation.method === "post" && operation.route.startsWith("/v2/");
      if (isRepeated) {
        expect(text).toMatch(/already verified|"status":"1"/i);
        return;
      }
      expect([httpStatus, body.status ?? "1", text]).toEqual([200, "1", text]);
      expect([isData(body.result), text]).toEqual([true, text]);
      expect(shapeOf(documentedAnswer(operation))).toEqual(shapeOf(shorten(body)));
    },
  );

  test.each(operations.filter(({ reason }) => reason))(
    "$route answers its example in its envelope, though without data: $reason",
    async (operation) => {
      const { httpStatus, text } = await askExample(origin, operation);
      const { jsonrpc, status, result } = JSON.parse(text);
      if (jsonrpc) expect([httpStatus, result ?? null]).toEqual([200, null]);
      else expect([httpStatus, status]).toEqual([200, "0"]);
      expect(shapeOf(documentedAnswer(operation))).toEqual(shapeOf(shorten(JSON.parse(text))));
    },
  );

  // Sourcify's submissions have no example of their own.
  const others = operations.filter(
    ({ route, operation }) => !isAction(route) && (!operation.requestBody || bodyOf(operation)),
  );
  test.each(others)("$route answers", async (operation) => {
    const { httpStatus, text } = await askExample(origin, operation);
    expect([text, httpStatus < 400]).toEqual([text, true]);
  });

  test("the README's requests are answered", async () => {
    const readme = readFileSync(path.join(import.meta.dirname, "../README.md"), "utf8");
    const urls = [...readme.matchAll(/curl '?https?:\/\/[\w.]+:4000([^\s'`]+)/g)];
    expect(urls.length).toBeGreaterThan(0);
    for (const [command, url = ""] of urls) {
      if (url === "/api") continue;
      const body = (await (await fetch(origin + url)).json()) as {
        status: string;
        result: unknown;
      };
      expect([command, body.status, isData(body.result)]).toEqual([command, "1", true]);
    }
  });
});

test("a revert has the lines of all verified contracts that it passed through, and none of one that was caught", async () => {
  const send = async (to: Hex, data: Hex, value = "0x0") => {
    const [from] = await rpc.request<Hex[]>("eth_accounts");
    return rpc.request<Hex>("eth_sendTransaction", { from, to, data, value, gas: "0x100000" });
  };
  const rpc = createJsonRpc(world.chain);
  const linesOf = async (hash: Hex) => {
    const url = `${origin}/api?module=transaction&action=getrevertlines&txhash=${hash}`;
    const read = async () => (await fetch(url)).json() as Promise<{ message: string; result: [] }>;
    const patience = { timeout: 30_000 };
    await expect.poll(async () => (await read()).message, patience).not.toMatch(/not found$/);
    return (await read()).result;
  };
  const [coin, proxy] = [sampleAddress("Coin"), sampleAddress("Proxy")];
  const unknown = await send(proxy, "0xdeadbeef");
  const lines = await linesOf(unknown);
  const { blockNumber } = await rpc.request<{ blockNumber: Hex }>(
    "eth_getTransactionReceipt",
    unknown,
  );
  // The sample world changes the implementation to a contract that is not verified, and back.
  const target = await rpc.request<Hex>(
    "eth_getStorageAt",
    proxy,
    IMPLEMENTATION_SLOT,
    blockNumber,
  );
  const counter = { fileName: "Counter.sol", code: expect.stringMatching(/^contract Counter/) };
  expect(lines).toMatchObject([
    ...(target.endsWith(sampleAddress("Counter").slice(2)) ? [counter] : []),
    { contractAddress: proxy, contractName: "Proxy", fileName: "Proxy.sol", line: "41" },
  ]);
  const split = encodeFunctionData({
    abi: parseAbi(["function split(address[])"]),
    args: [[coin]],
  });
  expect(await linesOf(await send(sampleAddress("Splitter"), split, "0x1"))).toEqual([]);
  expect(await linesOf(await send(coin, "0x", "0x1"))).toMatchObject([{ contractName: "Coin" }]);
  expect(await linesOf(await send(coin, "0x18160ddd"))).toEqual([]);
});

test("SIGHUP reads the labels again; a file with a fault changes nothing, and the log names its place", async () => {
  const url = `${origin}/v2/api?module=nametag&action=getaddresstag&address=0x${"a1".repeat(20)}`;
  const name = async () => {
    const { result } = (await (await fetch(url)).json()) as { result: { nametag: string }[] };
    return result[0]?.nametag;
  };
  expect(await name()).toBeUndefined();
  const row = { address: `0x${"a1".repeat(20)}`, name: "Pier" };
  await world.relabel(JSON.stringify([row]));
  await expect.poll(name, { timeout: 30_000 }).toBe("Pier");
  await world.relabel(JSON.stringify([row, { ...row, address: "0x1" }]));
  await expect
    .poll(() => world.messages().join("\n"), { timeout: 30_000 })
    .toMatch(/labels and chains stay as they are: [\s\S]*labels\.json:1: address must be 0x/);
  expect(await name()).toBe("Pier");
});

test("the documentation's source is the sample contract's, and its metadata the compiler's", () => {
  const file = path.join(import.meta.dirname, "../src/devnet/contracts/Buoy.sol");
  expect(BUOY_SOURCE).toBe(readFileSync(file, "utf8"));
  expect(JSON.parse(BUOY_METADATA).settings.compilationTarget).toEqual({ "Buoy.sol": "Buoy" });
});

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ERROR_CODES } from "../../../src/core/errors.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";
import { errorHeaderFault } from "../../support/error-header.ts";

let server: TestApp;
let loading: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, { blocks: [{ number: 0 }, { number: 1 }] });
  loading = await createTestApp({ stopped: () => "it was taken out" });
});
afterAll(async () => {
  await server.close();
  await loading.close();
});

const A = addressAt(1);
const ADDRESS = `address=${A}`;

test.each<readonly [code: string, path: string]>([
  ["unknown-path", "/nothing/here"],
  ["missing-action", "?module=account"],
  ["missing-action", "/account/balance?module=block"],
  ["unknown-module", "?module=wallets&action=list"],
  ["unknown-action", "?module=account&action=list"],
  ["bad-request", "?module=account&action=balance&address=%zz"],
  ["missing-parameter;name=address", "?module=account&action=balance"],
  ["missing-parameter;name=address", "/account/tokenbalance"],
  ["missing-parameter;name=address", "?module=logs&action=getLogs&fromBlock=0&toBlock=1"],
  ["invalid-parameter;name=address", "?module=account&action=balance&Address=0x12"],
  ["invalid-parameter;name=blockno", `/account/balancehistory?${ADDRESS}&blockno=9`],
  ["window-too-large", `/account/txlist?${ADDRESS}&page=101&offset=100`],
  ["empty", `/account/txlist?${ADDRESS}`],
  ["empty", `/account/fundedby?${ADDRESS}`],
  ["not-found", `/transaction/gettxinfo?txhash=0x${"ab".repeat(32)}`],
  ["not-found", "/block/getblockreward?blockno=7"],
  ["not-verified", `/contract/getabi?${ADDRESS}`],
  ["node-unreachable", `/account/balancehistory?${ADDRESS}&blockno=0`],
  ["not-found", `/token/getToken?contractaddress=${addressAt(7)}`],
])("%s, in both dialects: %s", async (code, path) => {
  for (const base of ["/api", "/v2/api"]) {
    const { headers, statusCode, body } = await server.app.inject(`${base}${path}`);
    expect([base, headers["x-periscope-error"]]).toEqual([base, code]);
    expect(errorHeaderFault(statusCode, code, JSON.parse(body))).toBeUndefined();
    const head = await server.app.inject({ method: "HEAD", url: `${base}${path}` });
    expect(head.headers["x-periscope-error"]).toBe(code);
  }
});

test.each([
  ["method-not-allowed", "PUT", "/api"],
  ["method-not-allowed", "DELETE", "/v2/api"],
  ["bad-request", "POST", "/api/eth-rpc"],
  ["unknown-path", "GET", "/sourcify/nothing"],
  ["wrong-chain", "GET", `/sourcify/v2/contract/5/${A}`],
  ["invalid-parameter;name=address", "GET", "/sourcify/v2/contract/31337/0x12"],
  ["not-verified", "GET", `/sourcify/v2/contract/31337/${A}`],
  ["wrong-chain", "GET", "/v2/api?module=account&action=balance&chain_id=5"],
])("%s: %s %s", async (code, method, url) => {
  const answer = await server.app.inject({ method: method as "GET", url, payload: "{" });
  expect(answer.headers["x-periscope-error"]).toBe(code);
});

test("a chain that is stopped says so under every path", async () => {
  for (const url of [
    `/api/account/balance?${ADDRESS}`,
    `/v2/api/account/balance?${ADDRESS}`,
    `/sourcify/v2/contract/31337/${A}`,
    "/events",
  ]) {
    const { headers } = await loading.app.inject(url);
    expect([url, headers["x-periscope-error"]]).toEqual([url, "chain-stopped"]);
  }
});

test("a JSON-RPC request has the code of its error, a batch and a success none", async () => {
  const call = (method: string, ...params: unknown[]) => ({
    jsonrpc: "2.0",
    id: 1,
    method,
    params,
  });
  const post = async (payload: object) => {
    const { headers } = await server.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
    return headers["x-periscope-error"];
  };
  expect(await post(call("eth_nothing"))).toBe("unknown-action");
  expect(await post(call("eth_getBalance", "0x12"))).toBe("invalid-parameter;name=address");
  expect(await post(call("eth_getLogs", {}))).toBe("missing-parameter;name=address");
  expect(await post(call("eth_call", { to: A }, "latest"))).toBe("node-unreachable");
  expect(await post([call("eth_nothing")])).toBeUndefined();
  expect(await post(call("eth_blockNumber"))).toBeUndefined();
  const proxied = await server.app.inject(`/v2/api/proxy/eth_getCode?address=${A}&tag=7`);
  expect(proxied.headers["x-periscope-error"]).toBe("invalid-parameter;name=tag");
});

test("the page of the wire names every code and no other", () => {
  const wire = readFileSync(new URL("../../../docs/wire.md", import.meta.url), "utf8");
  const [, table = ""] = /## Error codes\n(.*?)\n## /s.exec(wire) ?? [];
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z-]+)`/g)]);
  expect(named.map(([, code]) => code)).toEqual([...ERROR_CODES]);
});

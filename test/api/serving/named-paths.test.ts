import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { publish } from "../../support/build.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ chainId: () => 31_337 });
  await publish(server.sql, { blocks: [{ number: 0 }] });
});
afterAll(() => server.close());

const form = { "content-type": "application/x-www-form-urlencoded" };

describe.each(["/api", "/v2/api"])("below %s", (base) => {
  test("module and action may stand in the path, in any letter case", async () => {
    const named = await server.app.inject(
      `${base}?module=block&action=getblocknobytime&timestamp=4000000000&closest=before`,
    );
    const requests = [
      { url: `${base}/block/getblocknobytime?timestamp=4000000000&closest=before` },
      { url: `${base}/Block/getBlockNoByTime/?timestamp=4000000000&closest=before` },
      {
        url: `${base}/block/getblocknobytime?module=BLOCK&timestamp=4000000000&closest=before`,
      },
      {
        method: "POST" as const,
        url: `${base}/block/getblocknobytime`,
        headers: form,
        payload: "timestamp=4000000000&closest=before&action=getblocknobytime",
      },
      {
        method: "POST" as const,
        url: `${base}/block/getblocknobytime`,
        payload: { timestamp: 4_000_000_000, closest: "before" },
      },
    ];
    expect(named.json().status).toBe("1");
    for (const request of requests) {
      const answer = await server.app.inject(request);
      expect([request, answer.statusCode, answer.json()]).toEqual([request, 200, named.json()]);
    }
  });

  test("another module or action beside the path's is refused", async () => {
    for (const query of ["module=account", "action=txlist", "module="]) {
      const answer = await server.app.inject(`${base}/block/eth_block_number?${query}`);
      expect([query, answer.statusCode]).toEqual([query, 400]);
    }
  });

  test.each(["GET", "POST", "HEAD"] as const)(
    "an unknown name is not found by %s",
    async (method) => {
      for (const path of [
        "/block/nothing",
        "/nothing/txlist",
        "/constructor/toString",
        "/v2/blocks",
      ]) {
        const answer = await server.app.inject({ method, url: base + path });
        expect([path, answer.statusCode]).toEqual([path, 404]);
        if (method !== "HEAD") {
          expect(Object.values(answer.json())).toContain("Not found");
          expect(answer.json().message).toBe(base === "/api" ? "Not found" : "NOTOK");
        }
      }
    },
  );

  test.each(["PUT", "PATCH", "DELETE"] as const)("%s is no method of an action", async (method) => {
    const known = await server.app.inject({ method, url: `${base}/block/eth_block_number` });
    expect(known.statusCode).toBe(405);
    const unknown = await server.app.inject({ method, url: `${base}/block/nothing` });
    expect(unknown.statusCode).toBe(404);
  });
});

test("JSON-RPC keeps its paths", async () => {
  const payload = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
  for (const url of ["/api/eth-rpc", "/api/v1/eth-rpc"]) {
    const answer = await server.app.inject({ method: "POST", url, payload });
    expect(answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x0" });
    expect((await server.app.inject({ method: "PUT", url })).statusCode).toBe(405);
  }
});

test("a source may be as large under the path of its action as in the other form", async () => {
  const payload = { contractSourceCode: "/".repeat(2_000_000) };
  for (const [path, status] of [
    ["/api/contract/verify", 400],
    ["/v2/api/contract/verifysourcecode", 200],
    ["/api/account/txlist", 413],
  ] as const) {
    const answer = await server.app.inject({ method: "POST", url: path, payload });
    expect([path, answer.statusCode]).toEqual([path, status]);
  }
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RequestError } from "../../../src/core/errors.ts";
import { createSql } from "../../../src/db/client.ts";
import { createTestApp, TEST_CHAIN_ID, type TestApp } from "../../support/app.ts";
import { publish, setSyncState } from "../../support/build.ts";
import { createTestDatabase } from "../../support/postgres.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, { blocks: [{ number: 0 }, { number: 1 }] });
});
afterAll(() => server.close());

async function ask(url: string, app = server.app) {
  const response = await app.inject(url);
  return { status: response.statusCode, body: response.json() };
}

function refused(httpStatus: number, text: string) {
  return {
    blockscout: { status: httpStatus, body: { status: "0", message: text, result: null } },
    etherscan: { status: httpStatus, body: { status: "0", message: "NOTOK", result: text } },
  };
}

describe("module and action", () => {
  test.each<readonly [string, string]>([
    ["", "Params 'module' and 'action' are required parameters"],
    ["module=block", "Params 'module' and 'action' are required parameters"],
    ["action=getblockreward", "Params 'module' and 'action' are required parameters"],
    ["module=&action=", "Unknown module"],
    ["module=epoch&action=getepoch", "Unknown module"],
    ["module=__proto__&action=toString", "Unknown module"],
    ["module=block&action=", "Unknown action"],
    ["module=block&action=validate_address", "Unknown action"],
    ["module=block&action=constructor", "Unknown action"],
    // Etherscan actions without data here.
    ...["chainsize", "nodecount", "nodecounthistory", "dailyensregister", "dailyavghashrate"].map(
      (action) => [`module=stats&action=${action}`, "Unknown action"] as const,
    ),
    ...["getdeposittxs", "getwithdrawaltxs", "txnbridge"].map(
      (action) => [`module=account&action=${action}`, "Unknown action"] as const,
    ),
    ["module=stats&action=dailyavgnetdifficulty", "Unknown action"],
    ["module=nft&action=getaddresstag", "Unknown module"],
  ])("%s: HTTP 400 and the words %s", async (query, text) => {
    const { blockscout, etherscan } = refused(400, text);
    expect(await ask(`/api?${query}`)).toEqual(blockscout);
    expect(await ask(`/v2/api?${query}`)).toEqual(etherscan);
  });

  test.each([
    ["proxy", "eth_blockNumber"],
    ["gastracker", "gasoracle"],
    ["getapilimit", "getapilimit"],
  ])("%s is a module of Etherscan's dialect alone", async (module, action) => {
    const query = `module=${module}&action=${action}`;
    const unknown = refused(400, "Unknown module").blockscout;
    expect(await ask(`/api?${query}`)).toEqual(unknown);
    expect(await ask(`/api/v1?${query}`)).toEqual(unknown);
    expect((await ask(`/v2/api?${query}`)).status).toBe(200);
    expect((await ask(`/v2/api?module=${module}&action=eth_getLogs`)).body).toEqual(
      refused(400, "Unknown action").etherscan.body,
    );
  });
});

describe("chainid", () => {
  const action = "module=block&action=getblocknobytime&timestamp=4000000000";
  const found = { status: 200, body: { status: "1", message: "OK", result: "1" } };

  test.each([
    "",
    `&chain_id=${TEST_CHAIN_ID}`,
    `&chainid=${TEST_CHAIN_ID}`,
    `&chainId=${TEST_CHAIN_ID}`,
    "&chainid=",
  ])("is ours or none under /v2/api: %j", async (chainId) => {
    expect(await ask(`/v2/api?${action}${chainId}`)).toEqual(found);
  });

  test.each(["1", "1,31337", "0x7a69", "mainnet", "31337%20", "&chain_id=5", "31337&chain_id=5"])(
    "that is not ours is refused under /v2/api: %j",
    async (chainId) => {
      expect(await ask(`/v2/api?${action}&chainid=${chainId}`)).toEqual(
        refused(
          200,
          "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids",
        ).etherscan,
      );
    },
  );

  test("that is not ours is refused in the explorer's envelope by JSON-RPC actions too", async () => {
    const { body } = await ask("/v2/api?module=block&action=eth_block_number&chainid=1");
    expect(Object.keys(body)).toEqual(["status", "message", "result"]);
  });

  test("does not matter under /api", async () => {
    const { body } = await ask(`/api?${action}&closest=before&chainid=1&chain_id=5`);
    expect(body.result).toEqual({ blockNumber: "1" });
  });
});

describe("while the first load runs", () => {
  let loading: TestApp;
  beforeAll(async () => {
    loading = await createTestApp();
    await publish(loading.sql, { blocks: [{ number: 0 }], syncState: { indexed: false } });
  });
  afterAll(() => loading.close());

  test("every action but the head's number is refused", async () => {
    const { blockscout, etherscan } = refused(
      503,
      "The first synchronisation is still running, please try again later",
    );
    const query = "module=block&action=getblockreward&blockno=0";
    expect(await ask(`/api?${query}`, loading.app)).toEqual(blockscout);
    expect(await ask(`/v2/api?${query}`, loading.app)).toEqual(etherscan);
    const head = await ask("/api?module=block&action=eth_block_number", loading.app);
    expect(head.body.result).toBe("0x0");
  });

  test("answers come as soon as the indexes stand", async () => {
    await setSyncState(loading.sql, { indexed: true });
    await expect
      .poll(() => ask("/api?module=block&action=getblockreward&blockno=0", loading.app), {
        timeout: 10_000,
      })
      .toMatchObject({ status: 200 });
  });
});

describe("before the node was reached for the first time", () => {
  let early: TestApp;
  beforeAll(async () => {
    early = await createTestApp({
      chainId: () => {
        throw new RequestError(503, "node-unreachable", "The node was not reached yet");
      },
    });
  });
  afterAll(() => early.close());

  test("what needs neither the node nor the index is answered", async () => {
    const head = await ask("/api?module=block&action=eth_block_number", early.app);
    expect(head.body).toEqual({ jsonrpc: "2.0", result: "0x0", id: 1 });
    const api = await ask("/v2/api?module=getapilimit&action=getapilimit", early.app);
    expect(api.body).toMatchObject({ status: "1", message: "OK" });
  });

  test("nobody can tell whether a chainid is ours", async () => {
    const { etherscan } = refused(503, "The node was not reached yet");
    const query = "module=block&action=eth_block_number&chainid=1";
    expect(await ask(`/v2/api?${query}`, early.app)).toEqual(etherscan);
  });
});

describe("when the database fails", () => {
  const query = "module=block&action=eth_block_number";

  test("a statement over its time limit is answered with words", async () => {
    const database = await createTestDatabase();
    const sql = createSql(database.url, { statementTimeoutMs: 50 });
    const slow = await createTestApp({ sql });
    await database.sql.begin(async (blocker) => {
      await blocker`LOCK TABLE sync_state IN ACCESS EXCLUSIVE MODE`;
      const { blockscout } = refused(
        503,
        "Request timed out, please narrow the range or use smaller pages",
      );
      expect(await ask(`/api?${query}`, slow.app)).toEqual(blockscout);
      // Etherscan's words, which clients compare: they halve their range.
      const message = "Query Timeout occured. Please select a smaller result dataset";
      expect(await ask(`/v2/api?${query}`, slow.app)).toEqual({
        status: 200,
        body: { status: "0", message, result: null },
      });
      expect(await ask("/v2/api?module=proxy&action=eth_blockNumber", slow.app)).toEqual({
        status: 200,
        body: { jsonrpc: "2.0", id: 1, error: { code: -32_000, message } },
      });
    });
    await slow.close();
    await sql.end();
    await database.drop();
  });

  test("a database that is gone is answered with words", async () => {
    const sql = createSql("postgres://nobody@127.0.0.1:1/nothing");
    const alone = await createTestApp({ sql });
    expect(await ask(`/api?${query}`, alone.app)).toEqual(
      refused(503, "The database does not answer, please try again later").blockscout,
    );
    await alone.close();
    await sql.end();
  });

  test("a database whose tables are those of another version is answered with words", async () => {
    const behind = await createTestApp();
    await behind.sql`ALTER TABLE sync_state RENAME TO elsewhere`;
    expect(await ask(`/api?${query}`, behind.app)).toEqual(
      refused(503, "The database does not have the tables of this version, please try again later")
        .blockscout,
    );
    await behind.close();
  });

  test("a fault that nobody foresaw says nothing of itself", async () => {
    const broken = await createTestApp();
    await broken.sql`ALTER TABLE sync_state RENAME TO elsewhere`;
    await broken.sql`CREATE VIEW sync_state AS SELECT * FROM elsewhere WHERE 1 / 0 = 1`;
    const { blockscout, etherscan } = refused(500, "Something went wrong.");
    expect(await ask(`/api?${query}`, broken.app)).toEqual(blockscout);
    expect(await ask(`/v2/api?${query}`, broken.app)).toEqual(etherscan);
    await broken.close();
  });
});

import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { expectedAnswer } from "../support/brute-force/answers.ts";
import { ethGetLogs } from "../support/brute-force/eth-logs.ts";
import { randomLogFilter, randomRequest } from "../support/brute-force/random-requests.ts";
import type { WireAnswer, WireRequest } from "../support/brute-force/wire.ts";
import { holdingsAfter, listen } from "../support/event-listener.ts";
import { isUndecided } from "../support/heads.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader, type Oracle, type OracleReader } from "../support/oracle/oracle.ts";
import { createRandom, type Random } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

/** REQUESTS of them from the seed DIFFERENTIAL_SEED. */
const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? 1);
const IS_DEEP = process.env["EVERY_CASE"] !== undefined;
const REQUESTS = Number(process.env["DIFFERENTIAL_REQUESTS"] ?? (IS_DEEP ? 600 : 150));
const FILTERS = IS_DEEP ? 150 : 75;
const ROUNDS = IS_DEEP ? 5 : 1;
/** Random blocks behind those of every scenario. */
const STEPS = IS_DEEP ? 20 : 8;
const REQUESTS_PER_ROUND = 40;
const SLOW_NODE_MS = 30_000;

interface Installation {
  anvil: Anvil;
  world: World;
  reader: OracleReader;
  api: TestApp;
  indexer: TestIndexer;
  close(): Promise<void>;
}

async function install(play: (world: World) => Promise<void>): Promise<Installation> {
  const anvil = await startAnvil();
  const world = await deployWorld(anvil.url);
  await play(world);
  const api = await createTestApp({ nodeUrl: anvil.url });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  const indexer = startTestIndexer({
    databaseUrl: databaseUrl.href,
    rpcUrls: [anvil.url],
    requestTimeoutMs: SLOW_NODE_MS,
  });
  return {
    anvil,
    world,
    reader: createOracleReader(anvil.url),
    api,
    indexer,
    close: async () => {
      await indexer.stop();
      await api.close();
      await anvil.stop();
    },
  };
}

/** Sends a request by one of the ways that a request can come. */
async function send(api: TestApp, request: WireRequest, random: Random): Promise<WireAnswer> {
  const url = request.dialect === "blockscout" ? "/api" : "/v2/api";
  const form = new URLSearchParams(request.parameters).toString();
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  const response = await random.pick([
    () => api.app.inject({ method: "GET", url: `${url}?${form}` }),
    () => api.app.inject({ method: "POST", url, payload: { ...request.parameters } }),
    () => api.app.inject({ method: "POST", url, headers: urlencoded, payload: form }),
  ])();
  return { httpStatus: response.statusCode, body: response.json() };
}

describe("the API on a rich chain", () => {
  let installation: Installation;
  let oracle: Oracle;

  beforeAll(async () => {
    installation = await install(async (world) => {
      await world.everything({ blobs: IS_DEEP });
      const random = createRandom(SEED);
      for (let step = 0; step < STEPS; step++) await world.step(random);
    });
    oracle = await installation.reader.read();
    await installation.indexer.reach(oracle.head.hash);
  });

  afterAll(() => installation?.close());

  it("answers random requests as the node's own data demand", async () => {
    const random = createRandom(SEED);
    const { silentTokens } = installation.world;
    for (let count = 0; count < REQUESTS; count++) {
      const request = randomRequest({ oracle, random, silentTokens: [] });
      const answer = await send(installation.api, request, random);
      const expected = expectedAnswer(oracle, request);
      // The oracle's holders are those whom transfers name: a silent token has others.
      if (isDeepStrictEqual(answer, expected) || isUndecided(request, answer, oracle, silentTokens))
        continue;
      expect(answer, JSON.stringify(request)).toEqual(expected);
    }
  });

  it("finds the logs of random filters", async () => {
    const random = createRandom(SEED);
    for (let count = 0; count < FILTERS; count++) {
      const filter = randomLogFilter({ oracle, random, silentTokens: [] });
      const payload = { jsonrpc: "2.0", id: count, method: "eth_getLogs", params: [filter] };
      const response = await installation.api.app.inject({
        method: "POST",
        url: "/api/eth-rpc",
        payload,
      });
      const expected = { jsonrpc: "2.0", id: count, result: ethGetLogs(oracle, filter) };
      expect(response.json(), JSON.stringify(filter)).toEqual(expected);
    }
  });
});

describe("the API while the chain moves under it", () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await install(async (world) => {
      for (const scenario of ["fungibles", "collectibles", "multiTokens", "logs"] as const) {
        await world.play(scenario);
      }
    });
  });

  afterAll(() => installation?.close());

  /** The chain as it is at its head and at each of the blocks below, down to one that is to stay. */
  async function states(lowest: number): Promise<Oracle[]> {
    const top = await installation.reader.read();
    const rest: Oracle[] = [];
    for (let head = lowest; head < top.head.number; head++) {
      rest.push(await installation.reader.read({ head }));
    }
    return [...rest, top];
  }

  it("gives no answer but those of a state that the chain had", async () => {
    const { anvil, api, indexer, world } = installation;
    const rpc = createJsonRpc(anvil.url);
    const random = createRandom(SEED);
    const origin = await api.app.listen({ host: "127.0.0.1", port: 0 });
    const first = (await states(1)).find(({ head }) => head.number === 1)?.head;
    const addresses = world.accounts.slice(0, 10);
    const events = await listen(`${origin}/events?address=${addresses}`, {
      "last-event-id": `1;${first?.hash};0`,
    });
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await states(Number(await rpc.request<string>("eth_blockNumber")))).at(-1);
      if (!before) throw new Error("the chain has no head");
      await indexer.reach(before.head.hash);
      const ancestor = before.head.number - 1 - random.integer(6);
      const old = await states(ancestor);
      const answers: { request: WireRequest; answer: WireAnswer }[] = [];
      const asking = (async () => {
        for (let count = 0; count < REQUESTS_PER_ROUND; count++) {
          const request = randomRequest({
            oracle: before,
            random,
            silentTokens: world.silentTokens,
          });
          // Lists of all holdings of an account, silent tokens included.
          if (request.parameters["action"]?.toLowerCase() === "tokenlist") continue;
          answers.push({ request, answer: await send(api, request, random) });
        }
      })();
      await rpc.request("anvil_reorg", before.head.number - ancestor, []);
      for (let step = 0; step < 3; step++) await world.step(random);
      await asking;
      const allowed = [...old, ...(await states(ancestor + 1))];
      for (const { request, answer } of answers) {
        if (answer.httpStatus === 503) continue;
        const isTrue = allowed.some((oracle) =>
          [true, false].some((nodeIsElsewhere) => {
            const expected = expectedAnswer(oracle, request, { nodeIsElsewhere });
            return isDeepStrictEqual(answer, JSON.parse(JSON.stringify(expected)));
          }),
        );
        expect(isTrue, `${JSON.stringify(request)} ${JSON.stringify(answer)}`).toBe(true);
      }
    }
    const last = await installation.reader.read();
    await events.until(`event: head\nid: ${last.head.number};${last.head.hash}`);
    events.end();
    const held = holdingsAfter(events.events());
    for (const address of addresses) {
      for (const action of ["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx"]) {
        const parameters = { module: "account", action, address, sort: "asc", startblock: "2" };
        const { body } = expectedAnswer(last, { dialect: "etherscan", parameters });
        const { result } = JSON.parse(JSON.stringify(body)) as { result: object[] };
        const rows = held.filter((each) => each.kind === action && each.address === address);
        expect(rows.map(({ row }) => row)).toEqual(
          result.map((row) => ("confirmations" in row ? { ...row, confirmations: "0" } : row)),
        );
      }
    }
    const names = events.events().map(({ event }) => event);
    expect(new Set(names)).toEqual(new Set(["activity", "rollback", "head"]));
  });
});

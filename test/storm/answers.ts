import type { FastifyInstance } from "fastify";
import type { Sql } from "../../src/db/client.ts";
import { createTestApp } from "../support/app.ts";
import { expectedAnswer } from "../support/brute-force/answers.ts";
import { ethGetLogs } from "../support/brute-force/eth-logs.ts";
import { HISTORIES } from "../support/brute-force/histories.ts";
import { createParameters } from "../support/brute-force/parameters.ts";
import {
  randomLogFilter,
  randomRequest,
  requestOf,
} from "../support/brute-force/random-requests.ts";
import type { WireRequest } from "../support/brute-force/wire.ts";
import type { Oracle } from "../support/oracle/oracle.ts";
import type { Random } from "../support/world/random.ts";

interface Asked {
  sql: Sql;
  nodeUrl: string;
  oracle: Oracle;
  random: Random;
  requests: number;
}

/** The answers of the API to random requests that are not those of the oracle, one sentence each. */
export async function listWrongAnswers({ sql, nodeUrl, oracle, random, requests }: Asked) {
  // Requests are drawn from what there is.
  if (oracle.transactions.length === 0 || oracle.logs.length === 0) return [];
  const api = await createTestApp({ sql, nodeUrl });
  const wrong: string[] = [];
  try {
    // The scripted nodes say that the next base fee is that of their head.
    const nextBaseFee = oracle.blocks.at(-1)?.baseFeePerGas ?? 0n;
    for (let count = 0; count < requests; count++) {
      const request = randomRequest({ oracle, random, silentTokens: [] });
      if (isUndetermined(request)) continue;
      const path = request.dialect === "blockscout" ? "/api" : "/v2/api";
      const found = await api.app.inject(`${path}?${new URLSearchParams(request.parameters)}`);
      const answer = { httpStatus: found.statusCode, body: found.json() };
      const expected = expectedAnswer(oracle, request, { nextBaseFee });
      wrong.push(...describe(JSON.stringify(request), expected, answer));
    }
    for (let count = 0; count < requests / 10; count++) {
      const filter = randomLogFilter({ oracle, random, silentTokens: [] });
      const payload = { jsonrpc: "2.0", id: count, method: "eth_getLogs", params: [filter] };
      const found = await api.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
      const expected = { jsonrpc: "2.0", id: count, result: ethGetLogs(oracle, filter) };
      wrong.push(...describe(JSON.stringify(filter), expected, found.json()));
    }
    wrong.push(...(await listWrongHistories(api.app, oracle, random, requests / 10)));
    wrong.push(...(await listWrongTransactions(api.app, oracle, random, requests / 10)));
  } finally {
    await api.close();
  }
  return wrong;
}

/** The same for what there was after earlier blocks. */
async function listWrongHistories(
  app: FastifyInstance,
  oracle: Oracle,
  random: Random,
  requests: number,
): Promise<string[]> {
  const wrong: string[] = [];
  for (let count = 0; count < requests; count++) {
    const [name, historian] = random.pick(Object.entries(HISTORIES));
    const request = requestOf(name, { oracle, random, silentTokens: [] }, "blockscout");
    const expected = await historian({
      oracle,
      dialect: "blockscout",
      parameters: createParameters(request.parameters),
    });
    const found = await app.inject(`/api?${new URLSearchParams(request.parameters)}`);
    const answer = { httpStatus: found.statusCode, body: found.json() };
    wrong.push(...describe(JSON.stringify(request), expected, answer));
  }
  return wrong;
}

const QUANTITY = /^0x[0-9a-f]{1,63}$/;

/** The same for transactions and receipts, field by field as far as the node has it. */
async function listWrongTransactions(
  app: FastifyInstance,
  oracle: Oracle,
  random: Random,
  requests: number,
): Promise<string[]> {
  const wrong: string[] = [];
  for (let count = 0; count < requests; count++) {
    const { hash, raw, rawReceipt, gasPrice, created, input } = random.pick(oracle.transactions);
    const own = { ...raw, input, gasPrice: `0x${gasPrice.toString(16)}` };
    const receipt = { ...rawReceipt, contractAddress: created };
    const told = { eth_getTransactionByHash: own, eth_getTransactionReceipt: receipt };
    for (const [method, expected] of Object.entries(told)) {
      const payload = { jsonrpc: "2.0", id: count, method, params: [hash] };
      const { result } = (await app.inject({ method: "POST", url: "/api/eth-rpc", payload })).json<{
        result: Record<string, unknown>;
      }>();
      const names = Object.keys(result).filter((one) => one in expected);
      const [left, right] = [expected as Record<string, unknown>, result].map((fields) =>
        Object.fromEntries(names.map((one) => [one, normalised(fields?.[one])])),
      );
      wrong.push(...describe(`${method} ${hash}`, left, right));
    }
  }
  return wrong;
}

/** Nodes differ in zeros at the beginning of quantities. */
function normalised(value: unknown): unknown {
  return typeof value === "string" && QUANTITY.test(value) ? BigInt(value).toString() : value;
}

/** Gaps of the scripted chain: its code does not follow its traces. */
function isUndetermined({ parameters }: WireRequest): boolean {
  return parameters["action"]?.toLowerCase() === "listcontracts";
}

/** Not all tracers have them. */
const OF_FRAMES = /txlistinternal|gettxinfo/i;
const UNTOLD = /\.(?:gas|gasUsed|revertReason) should be/;

/** Facts before the first indexed block, which the oracle lacks. */
const OF_EARLIER_BLOCKS = /Blocks before [1-9]\d* are not indexed|before the first indexed block/;

function describe(asked: string, expected: unknown, found: unknown): string[] {
  if (OF_EARLIER_BLOCKS.test(JSON.stringify(found))) return [];
  const all = differencesIn(JSON.parse(JSON.stringify(expected)), found);
  const differences = all.filter((one) => !(OF_FRAMES.test(asked) && UNTOLD.test(one)));
  return differences.length === 0 ? [] : [`${asked}: ${differences.slice(0, 5).join("; ")}`];
}

/** Where two values differ, and how. */
function differencesIn(expected: unknown, found: unknown, path = ""): string[] {
  if (Object.is(expected, found)) return [];
  if (!isComposite(expected) || !isComposite(found)) {
    const [left, right] = [expected, found].map((value) => JSON.stringify(value)?.slice(0, 200));
    return [`${path} should be ${left}, is ${right}`];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) =>
    differencesIn(expected[name], found[name], `${path}.${name}`),
  );
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

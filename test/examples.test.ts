import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUOY_METADATA, BUOY_SOURCE } from "../src/api/modules/contract/sample-buoy.ts";
import { describeApi } from "../src/api/openapi/document.ts";
import { registry } from "../src/api/registry.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";

/** Actions that the sample chain has nothing for, and why. */
const WITHOUT_DATA: Readonly<Record<string, string>> = {
  "account/txsBeaconWithdrawal": "a development chain has no consensus layer to withdraw from",
  "contract/verify_vyper_contract": "no Vyper compiler is bundled",
};
const PATIENCE_MS = 60_000;

let folder: string;
let periscope: Periscope;
let origin: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-examples-"));
  periscope = startPeriscope({ DATA_DIR: folder });
  origin = new URL((await periscope.ready).api).origin;
  // Verifications go on for a few seconds behind the first answers.
  const { checkproxyverification } = Object.fromEntries(
    (registry["contract"] ?? []).map((action) => [action.name, action]),
  );
  const url = `${origin}/v2/api/contract/checkproxyverification?${new URLSearchParams(checkproxyverification?.example)}`;
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const answer = (await (await fetch(url)).json()) as { status: string };
    if (answer.status === "1") break;
    await sleep(200);
  }
});
afterAll(async () => {
  await periscope.end();
  await rm(folder, { recursive: true, force: true });
});

interface Operation {
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: {
    content: Record<string, { schema: { required?: string[] }; example?: Record<string, unknown> }>;
  };
}

const operations = Object.entries(describeApi({ version: "1.2.3" }).paths).flatMap(
  ([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route,
      method,
      operation: operation as Operation,
      reason: WITHOUT_DATA[route.replace(/^\/(?:v2\/)?api\//, "")],
    })),
);

function bodyOf({ requestBody }: Operation): object | undefined {
  return requestBody?.content["application/json"]?.example;
}

async function askExample({ route, method, operation }: (typeof operations)[number]) {
  const given = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
  const query = given.filter((parameter) => parameter.in === "query");
  const url = given
    .filter((parameter) => parameter.in === "path")
    .reduce((whole, { name, example }) => whole.replace(`{${name}}`, String(example)), route);
  const text = new URLSearchParams(
    query.map(({ name, example }): [string, string] => [name, String(example)]),
  );
  const body = bodyOf(operation);
  const response = await fetch(`${origin}${url}?${text}`, {
    method: method.toUpperCase(),
    redirect: "manual",
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { httpStatus: response.status, text: await response.text() };
}

/** Whether a result is more than nothing: no null, no empty text, list or object, nor an object of nothing but these. */
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
      const { httpStatus, text } = await askExample(operation);
      const body = JSON.parse(text) as { status?: string; result?: unknown };
      const isRepeated = operation.method === "post" && operation.route.startsWith("/v2/");
      if (isRepeated) {
        expect(text).toMatch(/already verified|"status":"1"/i);
        return;
      }
      expect([httpStatus, body.status ?? "1", text]).toEqual([200, "1", text]);
      expect([isData(body.result), text]).toEqual([true, text]);
    },
  );

  test.each(operations.filter(({ reason }) => reason))(
    "$route answers its example in its envelope, though without data: $reason",
    async (operation) => {
      const { httpStatus, text } = await askExample(operation);
      expect([httpStatus, JSON.parse(text).status]).toEqual([200, "0"]);
    },
  );

  // Sourcify's submissions have no example of their own.
  const others = operations.filter(
    ({ route, operation }) => !isAction(route) && (!operation.requestBody || bodyOf(operation)),
  );
  test.each(others)("$route answers", async (operation) => {
    const { httpStatus, text } = await askExample(operation);
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

test("the documentation's source is the sample contract's, and its metadata the compiler's", () => {
  const file = path.join(import.meta.dirname, "../src/devnet/contracts/Buoy.sol");
  expect(BUOY_SOURCE).toBe(readFileSync(file, "utf8"));
  expect(JSON.parse(BUOY_METADATA).settings.compilationTarget).toEqual({ "Buoy.sol": "Buoy" });
});

function isAction(route: string): boolean {
  return /^\/(?:v2\/)?api\/\w+\/\w+$/.test(route);
}

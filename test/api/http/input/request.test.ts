import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../support/app.ts";
import { blockTime, publish } from "../../../support/build.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: 20 }, (_, number) => ({ number })),
  });
});
afterAll(() => server.close());

type Parameters = Readonly<Record<string, string | number | boolean | null>>;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

function form(parameters: Parameters): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) fields.set(name, String(value));
  return fields.toString();
}

function multipart(fields: readonly [string, unknown][]): string {
  const parts = fields.map(
    ([name, value]) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  );
  return `${parts.join("")}--b--\r\n`;
}

async function get(query: string): Promise<unknown> {
  const response = await server.app.inject(`/api?${query}`);
  return response.json();
}

async function post(type: string, payload: string, query = ""): Promise<unknown> {
  const response = await server.app.inject({
    method: "POST",
    url: `/api${query && `?${query}`}`,
    headers: { "content-type": type },
    payload,
  });
  return response.json();
}

const REQUESTS: Parameters[] = [
  { module: "block", action: "eth_block_number", id: "seven" },
  { module: "block", action: "getblockreward", blockno: "7" },
  { module: "block", action: "getblockreward", blockno: "" },
  { module: "block", action: "getblockreward", blockno: "7 " },
  { module: "block", action: "getblockreward", blockno: "é\u{1f600}" },
  {
    module: "block",
    action: "getblocknobytime",
    timestamp: String(blockTime(5)),
    closest: "after",
  },
  { module: "block", action: "nothing" },
  { module: "nothing", action: "getblockreward" },
  { action: "getblockreward" },
];

test.each(REQUESTS)("the same answer for GET, JSON, form and multipart: %o", async (parameters) => {
  const expected = await get(form(parameters));
  expect(await post(JSON_TYPE, JSON.stringify(parameters))).toEqual(expected);
  expect(await post("application/vnd.api+json", JSON.stringify(parameters))).toEqual(expected);
  expect(await post(FORM_TYPE, form(parameters))).toEqual(expected);
  expect(
    await post("multipart/form-data; boundary=b", multipart(Object.entries(parameters))),
  ).toEqual(expected);
  expect(await post("text/plain", "ignored", form(parameters))).toEqual(expected);
});

test("module and action may stand in the query and the rest in the body, or the other way round", async () => {
  const expected = await get("module=block&action=getblockreward&blockno=7");
  expect(await post(FORM_TYPE, "blockno=7", "module=block&action=getblockreward")).toEqual(
    expected,
  );
  expect(await post(FORM_TYPE, "module=block&blockno=7", "action=getblockreward")).toEqual(
    expected,
  );
  expect(
    await post(JSON_TYPE, '{"module":"block","action":"getblockreward"}', "blockno=7"),
  ).toEqual(expected);
});

test("a name in query and body has the body's value", async () => {
  expect(
    await post(FORM_TYPE, "blockno=7", "module=block&action=getblockreward&blockno=8"),
  ).toEqual(await get("module=block&action=getblockreward&blockno=7"));
});

test("of a name given twice the last value counts", async () => {
  expect(await get("module=block&action=getblockreward&blockno=x&blockno=7")).toEqual(
    await get("module=block&action=getblockreward&blockno=7"),
  );
});

test("module and action are found in any letter case", async () => {
  expect(await get("module=Block&action=GetBlockReward&blockno=7")).toEqual(
    await get("module=block&action=getblockreward&blockno=7"),
  );
});

test("a parameter's name is matched in any letter case, but its exact name wins", async () => {
  const seven = await get("module=block&action=getblockreward&blockno=7");
  expect(await get("MODULE=block&Action=getblockreward&BlockNo=7")).toEqual(seven);
  expect(await get("module=block&action=getblockreward&BLOCKNO=8&blockno=7")).toEqual(seven);
  expect(await get("module=block&action=getblockreward&blockno=7&BlockNo=8")).toEqual(seven);
  expect(await get("module=block&action=eth_block_number&ID=7")).toMatchObject({ id: "7" });
});

test("of names that differ in letter case the last counts, and the body's, as of one name", async () => {
  const action = "module=block&action=getblockreward";
  const third = await get(`${action}&blockno=3`);
  expect(await get(`${action}&BlockNo=1&BLOCKNO=3`)).toEqual(third);
  expect(await get(`${action}&BlockNo=1&BLOCKNO=2&BlockNo=3`)).toEqual(third);
  expect(await post(FORM_TYPE, "BLOCKNO=3", `${action}&BlockNo=1`)).toEqual(third);
  expect(await post(FORM_TYPE, "BlockNo=3", `${action}&BlockNo=1&BLOCKNO=2`)).toEqual(third);
});

test("bracketed names other than those of files are ignored", async () => {
  const missing = await get("module=block&action=getblockreward");
  expect(await get("module=block&action=getblockreward&blockno[]=7")).toEqual(missing);
  expect(await get("module=block&action=getblockreward&blockno[0]=7&blockno[a]=8")).toEqual(
    missing,
  );
});

describe("unknown parameters are ignored", () => {
  const known = { module: "block", action: "getblockreward", blockno: "7" };
  const others = ["apikey", "tag", "chainId", "key"];
  test.each([...others, ...Object.getOwnPropertyNames(Object.prototype)])("%s", async (name) => {
    const names: [string, string][] = [...Object.entries(known), [name, "latest"]];
    const json = `{${names.map((pair) => pair.map((text) => JSON.stringify(text)).join(":"))}}`;
    const answer = await get(form(known));
    expect(await get(form(Object.fromEntries(names)))).toEqual(answer);
    expect(await post(FORM_TYPE, `${form(known)}&${name}=latest`)).toEqual(answer);
    expect(await post(JSON_TYPE, json)).toEqual(answer);
    // The library refuses forms with those of every object.
    if (!others.includes(name)) return;
    expect(await post("multipart/form-data; boundary=b", multipart(names))).toEqual(answer);
  });
});

describe("values of a JSON body", () => {
  test.each<[string, unknown, string]>([
    ["numbers are their text", 7, "7"],
    ["large numbers have no exponent", 1e21, "1000000000000000000000"],
    ["fractions are their text", 1.5, "1.5"],
    ["negative numbers are their text", -7, "-7"],
    ["booleans are their text", true, "true"],
  ])("%s", async (_what, blockno, text) => {
    expect(
      await post(JSON_TYPE, JSON.stringify({ module: "block", action: "getblockreward", blockno })),
    ).toEqual(await get(`module=block&action=getblockreward&blockno=${text}`));
  });

  test("a number that JavaScript has none for keeps all its digits", async () => {
    const sent = '{"module":"block","action":"getblockcountdown","blockno":9007199254740993}';
    expect(await post(JSON_TYPE, sent)).toMatchObject({
      result: { CountdownBlock: "9007199254740993" },
    });
  });

  test("null counts as absent", async () => {
    expect(
      await post(JSON_TYPE, '{"module":"block","action":"getblockreward","blockno":null}'),
    ).toEqual(await get("module=block&action=getblockreward"));
  });

  test.each(["[7]", '{"a":7}', '["7"]', "[]"])("%s is no block number", async (blockno) => {
    expect(
      await post(JSON_TYPE, `{"module":"block","action":"getblockreward","blockno":${blockno}}`),
    ).toMatchObject({ message: "Invalid block number" });
  });

  test.each(['{"toString":1}', '["block"]', '[{"toString":1}]'])(
    "%s names no module and no action",
    async (value) => {
      expect(await post(JSON_TYPE, `{"module":${value},"action":"x"}`)).toMatchObject({
        message: "Unknown module",
      });
      expect(await post(JSON_TYPE, `{"module":"block","action":${value}}`)).toMatchObject({
        message: "Unknown action",
      });
    },
  );

  test("an empty body is an empty object", async () => {
    expect(await post(JSON_TYPE, "", "module=block&action=eth_block_number")).toMatchObject({
      result: "0x13",
    });
  });

  test("a number for id comes back as a number, text as text", async () => {
    const request = { module: "block", action: "eth_block_number" };
    expect(await post(JSON_TYPE, JSON.stringify({ ...request, id: 7 }))).toMatchObject({ id: 7 });
    expect(await post(JSON_TYPE, JSON.stringify({ ...request, id: "7" }))).toMatchObject({
      id: "7",
    });
    expect(await post(JSON_TYPE, JSON.stringify({ ...request, id: null }))).toMatchObject({
      id: 1,
    });
    expect(await post(JSON_TYPE, JSON.stringify({ ...request, id: [7] }))).toMatchObject({ id: 1 });
  });
});

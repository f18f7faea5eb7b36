import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLabelFiles } from "../../../../../src/settings/labels-file.ts";
import { createTestApp, TEST_CHAIN_ID, type TestApp } from "../../../../support/app.ts";
import { addressAt, publish } from "../../../../support/build.ts";

const [FAUCET, PEARL, MINT] = [addressAt(1), addressAt(2), addressAt(3)];

const folder = mkdtempSync(path.join(os.tmpdir(), "periscope-nametag-"));
let server: TestApp;
beforeAll(async () => {
  const file = path.join(folder, "labels.json");
  const labels = [
    {
      address: FAUCET,
      name: "Faucet <b>",
      tags: ["Test net", "-Ops!"],
      url: "https://e.org/",
      note: "A coin a day",
    },
    { address: PEARL, name: "The Pearl" },
    { address: MINT, name: "Pearl mint" },
    { address: addressAt(4), name: "Elsewhere", chainid: 1 },
  ];
  writeFileSync(file, JSON.stringify(labels));
  const files = createLabelFiles();
  files.read([{ LABELS_FILE: file }]);
  server = await createTestApp({ labels: () => files.labels(file, TEST_CHAIN_ID) });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (query: string, base = "/v2/api") => server.app.inject(`${base}?${query}`);
const tag = (address: string) => get(`module=nametag&action=getaddresstag&address=${address}`);

test("labels come in the order of the request, each once, while nothing is indexed yet", async () => {
  const response = await tag(
    `${PEARL},, ${FAUCET.toUpperCase().replace("X", "x")},${addressAt(4)},${PEARL}`,
  );
  expect(response.headers["x-periscope-block"]).toBeUndefined();
  const { result } = response.json();
  expect(result.map(({ nametag }: { nametag: string }) => nametag)).toEqual([
    "The Pearl",
    "Faucet <b>",
  ]);
  expect(Object.entries(result[1])).toEqual(
    Object.entries({
      address: FAUCET,
      nametag: "Faucet <b>",
      internal_nametag: "",
      url: "https://e.org/",
      shortdescription: "A coin a day",
      notes_1: "",
      notes_2: "",
      labels: ["Test net", "-Ops!"],
      labels_slug: ["test-net", "ops"],
      reputation: 0,
      other_attributes: [],
      lastupdatedtimestamp: expect.any(Number),
    }),
  );
});

const hundred = Array.from({ length: 100 }, (_, index) => addressAt(index + 10)).join();
test.each<[address: string, message: string, result: unknown, code: string]>([
  [addressAt(9), "No records found", [], "empty"],
  [hundred, "No records found", [], "empty"],
  [
    `${hundred},${FAUCET}`,
    "NOTOK",
    "A maximum of 100 addresses is allowed",
    "invalid-parameter;name=address",
  ],
  ["0x1", "NOTOK", "Invalid address format", "invalid-parameter;name=address"],
  [`${hundred},0x1`, "NOTOK", "Invalid address format", "invalid-parameter;name=address"],
  [",", "NOTOK", "Invalid address format", "invalid-parameter;name=address"],
])("%.20s… is answered with %s %s", async (address, message, result, code) => {
  const response = await tag(address);
  expect(response.json()).toEqual({ status: "0", message, result });
  expect(response.headers["x-periscope-error"]).toBe(code);
});

test("an absent address is asked for, and Blockscout's dialect has no such module", async () => {
  const query = "module=nametag&action=getaddresstag";
  expect((await get(query)).json().result).toBe("Query parameter 'address' is required");
  expect((await get(query, "/api")).json().message).toBe("Unknown module");
});

test("agents find it, and get the same", async () => {
  const call = (name: string, args: object) => ({
    method: "POST" as const,
    url: "/mcp",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  });
  const args = { name: "nametag_getaddresstag", arguments: { address: FAUCET } };
  const { body } = await server.app.inject(call("call_action", args));
  expect(body).toContain('"nametag":"Faucet <b>"');
  expect((await server.app.inject("/llms.txt")).body).not.toContain("Faucet");
});

test("a search by name has labels first, and an address with a label and a token once", async () => {
  await publish(server.sql, {
    blocks: [{ number: 0 }],
    tokens: [
      { address: PEARL, name: "Pearl", symbol: "PRL" },
      { address: addressAt(5), name: "Pearl", symbol: "P2" },
      { address: addressAt(6), name: "Pearls", symbol: "P3" },
    ],
  });
  const found = async (paging = "", base = "/api") => {
    const query = `module=contract&action=listbyname&name=PEARL${paging}`;
    const { result } = (await get(query, base)).json();
    return result.map((row: Record<string, string>) => [
      row["address"],
      row["tokenSymbol"],
      row["nametag"],
    ]);
  };
  const all = [
    [MINT, "", "Pearl mint"],
    [PEARL, "PRL", "The Pearl"],
    [addressAt(5), "P2", ""],
    [addressAt(6), "P3", ""],
  ];
  for (const base of ["/api", "/v2/api"]) expect(await found("", base)).toEqual(all);
  const pages = [];
  for (let page = 1; page <= 5; page++) pages.push(await found(`&page=${page}&offset=1`));
  expect(pages.flat()).toEqual(all);
});

test("a page says that there are labels; a search for one is found", async () => {
  const page = await server.app.inject({
    url: "/search?q=elsewhere",
    headers: { accept: "text/html" },
  });
  expect([page.statusCode, page.body.includes('data-labels="1"')]).toEqual([404, true]);
  const known = await server.app.inject({
    url: "/search?q=faucet",
    headers: { accept: "text/html" },
  });
  expect(known.statusCode).toBe(200);
});

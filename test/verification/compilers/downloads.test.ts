import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openCatalogue } from "../../../src/verification/compilers/catalogue.ts";
import { compileStandardJson } from "../compile.ts";

const VERSION = "0.8.28+commit.7893614a";
const soljson = readFileSync(createRequire(import.meta.url).resolve("solc-0.8.28/soljson.js"));

/** A server in the place of binaries.soliditylang.org. */
let server: Server;
let listUrl: string;
let folder: string;
let requests: string[];
let warnings: string[];
let builds: object[];
let body: Buffer;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? "");
    if (request.url === "/bin/list.json") response.end(JSON.stringify({ builds }));
    else if (request.url?.endsWith(".js")) response.end(body);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  listUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bin/list.json`;
});

afterAll(() => server.close());

beforeEach(() => {
  requests = [];
  warnings = [];
  body = soljson;
  builds = [listed(VERSION)];
  folder = path.join(mkdtempSync(path.join(os.tmpdir(), "periscope-test-downloads-")), "solc");
  return () => rmSync(path.dirname(folder), { recursive: true });
});

function listed(version: string, fields: object = {}): object {
  return {
    path: `soljson-v${version}.js`,
    longVersion: version,
    sha256: `0x${createHash("sha256").update(soljson).digest("hex")}`,
    ...fields,
  };
}

function catalogue() {
  const none = { folder: "", listUrl: undefined };
  const log = { warn: (data: object) => warnings.push(JSON.stringify(data)) };
  return openCatalogue({ solc: { folder, listUrl }, vyper: none }, log as never);
}

test("a missing compiler is downloaded once, checked, kept and used", async () => {
  const { resolve } = catalogue();
  const found = await Promise.all([resolve("solc", "0.8.28"), resolve("solc", `v${VERSION}`)]);
  const file = path.join(folder, `soljson-v${VERSION}.js`);
  expect(found.map((build) => build.file)).toEqual([file, file]);
  expect(requests).toEqual(["/bin/list.json", `/bin/soljson-v${VERSION}.js`]);
  expect(readFileSync(file).equals(soljson)).toBe(true);
  expect(readdirSync(folder)).toEqual([`soljson-v${VERSION}.js`]);

  await catalogue().resolve("solc", VERSION);
  expect(requests.filter((url) => url.endsWith(".js"))).toHaveLength(1);
  const output = await compileStandardJson(
    { language: "Solidity", sources: { a: { content: "contract A {}" } }, settings: {} },
    { catalogue: catalogue(), compilerVersion: "0.8.28" },
  );
  expect(output).toHaveProperty("sources");
});

test.each([
  ["whose hash is another", { sha256: "00".repeat(32) }, /SHA-256 differs/],
  [
    "that calls itself otherwise",
    { longVersion: "0.8.27+commit.40a35a09" },
    /not available here; the nearest are v0\.8\.28/,
  ],
  ["that is not there", { path: "none" }, /HTTP status 404/],
])("a compiler %s is not used, and nothing of it is left", async (_what, fields, reason) => {
  builds = [listed(VERSION, fields)];
  const version = (builds[0] as { longVersion: string }).longVersion;
  if ("path" in fields) builds = [listed(VERSION, { path: `none/soljson-v${VERSION}.js?` })];
  await expect(catalogue().resolve("solc", version)).rejects.toMatchObject({
    failure: { code: "compiler-unavailable" },
  });
  expect(warnings.join()).toMatch(reason);
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

test("a list that cannot be read leaves what is at hand, and is not asked again at once", async () => {
  builds = [{ path: 1 }];
  const { resolve, list } = catalogue();
  await expect(resolve("solc", VERSION)).rejects.toMatchObject({
    failure: { nearest: ["v0.8.37+commit.f401782d"] },
  });
  expect(await list("solc")).toEqual(["v0.8.37+commit.f401782d"]);
  expect(requests).toEqual(["/bin/list.json"]);
  expect(warnings).toHaveLength(1);
});

test("the bundled compiler needs no download, entries for other machines are passed over", async () => {
  builds = [
    listed("0.8.37+commit.f401782d"),
    listed("0.8.1+commit.df193b15", { path: "solc-windows-amd64-v0.8.1+commit.df193b15.exe" }),
    listed("0.8.2+commit.661d1103", { path: "solc-sparc-v0.8.2+commit.661d1103" }),
  ];
  const { resolve, list } = catalogue();
  expect((await resolve("solc", "0.8.37")).file).toMatch(/node_modules.solc.soljson\.js$/);
  expect(await list("solc")).toEqual(["v0.8.37+commit.f401782d"]);
  expect(requests).toEqual(["/bin/list.json"]);
});

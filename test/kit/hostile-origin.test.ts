import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runKit } from "../../src/kit/commands.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { publish } from "../support/build.ts";

// An origin that wants to write to the operator's terminal, to keep the command busy for ever, or to see the questions
// sent in the clear.

const CONTRACT = "0x1111111111111111111111111111111111111111";
/** Sets the title of the terminal, clears it, and turns the direction of the text. */
const ESCAPES = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e";
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

type Handler = (url: URL) => {
  status?: number;
  location?: string;
  body?: unknown;
  text?: string;
  /** Whether the connection breaks off after the text. */
  isCut?: boolean;
};

let here: TestApp;
let hereUrl: string;
let answer: Handler;
let asked: string[] = [];
let authorizations: (string | undefined)[] = [];
const listen: http.RequestListener = (request, response) => {
  const url = new URL(request.url ?? "", "http://origin");
  asked.push(url.pathname + url.search);
  authorizations.push(request.headers.authorization);
  const { status = 200, location, body, text, isCut } = answer(url);
  response.writeHead(status, location === undefined ? {} : { location });
  if (isCut) response.write(text ?? "{", () => response.destroy());
  else response.end(text ?? JSON.stringify(body ?? {}));
};
const origin = http.createServer(listen);
const certificate = (name: string) =>
  readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");
const secureOrigin = https.createServer(
  { key: certificate("server.key"), cert: certificate("server.crt") },
  listen,
);
const portOf = (server: http.Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), certificate("authority.crt")]);
  here = await createTestApp();
  await publish(here.sql, { blocks: [{ number: 1 }] });
  hereUrl = `${await here.app.listen({ host: "127.0.0.1", port: 0 })}/api`;
  await once(origin.listen(0, "127.0.0.1"), "listening");
  await once(secureOrigin.listen(0, "localhost"), "listening");
});
beforeEach(() => {
  asked = [];
  authorizations = [];
});
afterAll(async () => {
  await here.close();
  origin.close();
  secureOrigin.close();
});

async function run(command: "import-contracts" | "compare", ...given: string[]) {
  const lines: string[] = [];
  const exitCode = await runKit(command, [...given, "--pace", "0"], (line) => lines.push(line));
  return { exitCode, lines, text: lines.join("") };
}
const importFrom = (url: string, ...given: string[]) =>
  run("import-contracts", url, "--to", hereUrl, ...given);
/** Compares the origin with another path of it, about the address in this file. */
const compareWith = (url: string) =>
  run("compare", url, "--to", originUrl("/other"), "--addresses", import.meta.filename);

const originUrl = (place = "/api") => `http://127.0.0.1:${portOf(origin)}${place}`;
const listing = [{ Address: CONTRACT }];

test("nothing of an origin reaches the terminal but printable text", async () => {
  answer = ({ searchParams }) => {
    const isListing = searchParams.get("action") === "listcontracts";
    const source = {
      SourceCode: `{"a": ${ESCAPES}`,
      ContractName: "Vault",
      CompilerVersion: "v0.8.37",
    };
    return { body: { result: isListing ? listing : [source] } };
  };
  const imported = await importFrom(originUrl());
  expect(imported).toMatchObject({ exitCode: 1 });
  expect(imported.text).toContain("owned");
  expect(imported.text).not.toMatch(UNSEEN);

  answer = ({ pathname, searchParams }) => {
    const isHead = searchParams.get("action") === "eth_block_number";
    const result = { [ESCAPES]: pathname + ESCAPES };
    return { body: { result: isHead ? "0x1" : result } };
  };
  const compared = await compareWith(originUrl());
  expect(compared).toMatchObject({ exitCode: 1, text: expect.stringContaining("owned") });
  expect(compared.text).not.toMatch(UNSEEN);
});

test("a line of an origin's is cut", async () => {
  answer = ({ pathname, searchParams }) => {
    const isHead = searchParams.get("action") === "eth_block_number";
    const result = { ["long".repeat(10_000)]: pathname };
    return { body: { result: isHead ? "0x1" : result } };
  };
  const { lines } = await compareWith(originUrl());
  expect(lines.some((line) => line.includes("long"))).toBe(true);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_100);
});

test("a list that goes on without news ends", async () => {
  answer = ({ pathname, searchParams }) => {
    if (!pathname.includes("/v2/contracts/")) return { status: 404 };
    if (asked.length > 50) return { body: { results: [] } };
    const matchId = searchParams.get("afterMatchId") === "1" ? "2" : "1";
    return { body: { results: [{ address: CONTRACT, matchId }] } };
  };
  const { lines } = await importFrom(originUrl(""), "--sourcify", "--chain", "1");
  expect(lines).toContain("1 contracts: 0 verified, 0 before, 1 not");
  expect(asked.filter((path) => path.startsWith("/v2/contracts/"))).toHaveLength(2);
});

test("a redirect to another protocol of the same host is not followed", async () => {
  const base = `https://localhost:${portOf(secureOrigin)}`;
  answer = ({ pathname }) =>
    pathname === "/api"
      ? { status: 302, location: `${base.replace("https", "http")}/plain` }
      : { body: { result: listing } };
  expect(await importFrom(`${base}/api`)).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining("redirects to another origin"),
  });
  answer = ({ pathname }) =>
    pathname === "/api" ? { status: 302, location: "/other" } : { body: { result: "nothing" } };
  await importFrom(`${base}/api`);
  expect(asked.some((path) => path.startsWith("/other"))).toBe(true);
});

test("an answer that is too deep is a difference like another", async () => {
  const deep = `{"result":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  answer = ({ pathname, searchParams }) => {
    if (searchParams.get("action") === "eth_block_number") return { body: { result: "0x1" } };
    const isDeep = pathname === "/api" && searchParams.get("action") === "balance";
    return isDeep ? { text: deep } : { body: { result: null } };
  };
  const { exitCode, lines } = await compareWith(originUrl());
  expect(exitCode).toBe(1);
  expect(lines.at(-1)).toMatch(/ fields differ$/);
  expect(lines.join()).toContain("too deep");
});

test.each(["null", "5", "[]", '"words"', "<html>", ""])(
  "an answer that is no object is told, and a difference like another: %s",
  async (text) => {
    answer = () => ({ text });
    const said = `${originUrl()} answers no JSON object (HTTP 200)`;
    expect((await importFrom(originUrl())).text).toBe(`periscope import-contracts: ${said}`);
    answer = ({ pathname, searchParams }) => {
      if (searchParams.get("action") === "eth_block_number") return { body: { result: "0x1" } };
      return pathname === "/api" ? { text } : { body: { result: null } };
    };
    expect((await compareWith(originUrl())).lines.at(-1)).toMatch(/ fields differ$/);
  },
);

test("an answer that breaks off is told with its server", async () => {
  answer = () => ({ isCut: true });
  const { text } = await importFrom(originUrl());
  expect(text).toBe(`periscope import-contracts: ${originUrl()} does not answer (UND_ERR_SOCKET)`);
});

test("the words of a rate limit are waited out, and are no difference", async () => {
  let isLimited = true;
  answer = ({ pathname, searchParams }) => {
    const isFirst = isLimited && pathname === "/api" && searchParams.get("action") !== null;
    if (isFirst) isLimited = false;
    const result = isFirst ? "Max calls per sec rate limit reached (3/sec)" : "0x1";
    return { body: { status: isFirst ? "0" : "1", message: isFirst ? "NOTOK" : "OK", result } };
  };
  expect(await compareWith(originUrl())).toMatchObject({ exitCode: 0 });
});

test("a list of millions is not read", async () => {
  answer = () => ({ text: `{"result":[${"0,".repeat(5_000_000)}0]}` });
  expect(await importFrom(originUrl())).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining("too many parts"),
  });
});

test("what an explorer says in place of a source is told", async () => {
  const result = "Missing/Invalid API Key";
  answer = ({ searchParams }) =>
    searchParams.get("action") === "listcontracts"
      ? { body: { result: listing } }
      : { body: { status: "0", message: "NOTOK", result } };
  const { exitCode, text } = await importFrom(originUrl());
  expect(exitCode).toBe(1);
  expect(text).toContain(result);
});

test("user and password of a URL reach its server, and nobody else", async () => {
  answer = ({ searchParams }) =>
    searchParams.get("action") === "listcontracts" ? { body: { result: listing } } : { body: {} };
  const { text } = await importFrom(originUrl().replace("//", "//user:p%40ss@"));
  const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  expect(new Set(authorizations)).toEqual(new Set([basic]));
  expect(text).not.toMatch(/user|ss@/);
});

test("words of Etherscan's dialect are understood", async () => {
  const source = { SourceCode: "contract A {}", ContractName: "A", CompilerVersion: "v0.8.37" };
  let result = "Invalid address hash";
  answer = ({ pathname, searchParams }) => {
    if (pathname === "/v2/api") return { body: { status: "0", message: "NOTOK", result } };
    const isListing = searchParams.get("action") === "listcontracts";
    return { body: { result: isListing ? listing : [source] } };
  };
  const importToStub = () => run("import-contracts", originUrl(), "--to", originUrl("/v2/api"));
  expect((await importToStub()).lines).toContain(`${CONTRACT} not verified: ${result}`);
  result = "Contract source code already verified";
  expect((await importToStub()).lines).toContain(`${CONTRACT} was verified before`);
});

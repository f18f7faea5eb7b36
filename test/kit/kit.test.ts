import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { getAddress, keccak256 } from "viem/utils";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runKit } from "../../src/kit/commands.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { type DeploymentChain, startDeploymentChain } from "../verification/deployment.ts";

// A stub says what the sources of some contracts are, of one falsely; a first Periscope verifies them, and a second one
// what the first one has.

const COMPILER = "v0.8.37+commit.f401782d";
/** More by IMPORTED_CONTRACTS. */
const CONTRACTS = Number(process.env["IMPORTED_CONTRACTS"] ?? 5);
const VAULTS = Math.floor(CONTRACTS / 3) + 1;
const LEDGERS = CONTRACTS - VAULTS;
const LEDGER = `pragma solidity ^0.8.0;
contract Ledger { uint256 public total; constructor(uint256 start) { total = start; } }
`;
const VAULT = {
  language: "Solidity",
  sources: {
    "src/Vault.sol": {
      content: 'pragma solidity ^0.8.0; import "./Lid.sol"; contract Vault is Lid {}',
    },
    "src/Lid.sol": { content: "pragma solidity ^0.8.0; contract Lid { uint8 public size = 7; }" },
  },
  settings: { optimizer: { enabled: true, runs: 1000 }, outputSelection: { "*": { "*": ["*"] } } },
};
const PATIENCE_MS = 60_000 + CONTRACTS * 40_000;

let node: DeploymentChain;
let first: TestApp;
let second: TestApp;
let folder: string;
/** The stub's answers, by address; `limited` requests get 429 first. */
const said = new Map<string, object>();
let limited = 2;
let liar: string;
const stub = http.createServer((request, response) => {
  const url = new URL(request.url ?? "", "http://stub");
  const json = (body: unknown, status = 200, headers = {}) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
  const query = Object.fromEntries(url.searchParams);
  if (url.pathname === "/moved") return json({}, 302, { location: `/api${url.search}` });
  if (url.pathname === "/elsewhere") return json({}, 302, { location: "http://other.invalid/api" });
  if (limited > 0) {
    limited--;
    return json({}, 429, { "retry-after": "1" });
  }
  const addresses = [...said.keys()];
  const page = (number: string, length: string) =>
    addresses.slice((Number(number) - 1) * Number(length), Number(number) * Number(length));
  if (query["action"] === "listcontracts") {
    const result = page(query["page"] ?? "1", "7").map((Address) => ({ Address }));
    return json({ status: "1", message: "OK", result });
  }
  if (query["action"] === "getsourcecode") {
    return json({ status: "1", message: "OK", result: [said.get(query["address"] ?? "")] });
  }
  if (url.pathname.startsWith("/sourcify/v2/contracts/")) {
    const results = query["afterMatchId"] ? [] : [{ address: addresses.at(-2), matchId: "1" }];
    return json({ results });
  }
  const compilation = {
    compilerVersion: "0.8.37+commit.f401782d",
    fullyQualifiedName: "src/Vault.sol:Vault",
  };
  return json({ stdJsonInput: VAULT, compilation });
});

function compile(input: object, file: string, name: string): string {
  const solc = createRequire(import.meta.url)("solc");
  return JSON.parse(solc.compile(JSON.stringify(input))).contracts[file][name].evm.bytecode.object;
}

async function startPeriscope(head: string): Promise<TestApp> {
  const app = await createTestApp({ nodeUrl: node.anvil.url, verifies: true });
  await indexTo(app, head);
  await app.sql`UPDATE sync_state SET synchronised = true`;
  await app.app.listen({ host: "127.0.0.1", port: 0 });
  return app;
}

async function indexTo(app: TestApp, head: string): Promise<void> {
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = app.sql.options.database;
  const indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.anvil.url] });
  await indexer.reach(head);
  await indexer.stop();
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-kit-"));
  node = await startDeploymentChain();
  const settings = { outputSelection: { "*": { "*": ["*"] } } };
  const sources = { "Ledger.sol": { content: LEDGER } };
  const ledger = compile({ language: "Solidity", sources, settings }, "Ledger.sol", "Ledger");
  const common = { ABI: "[]", CompilerVersion: COMPILER, EVMVersion: "default" };
  for (let start = 0; start < LEDGERS; start++) {
    const argument = start.toString(16).padStart(64, "0");
    const { address } = await node.deploy(`0x${ledger}${argument}`);
    // Blockscout's form.
    said.set(address, {
      ...common,
      SourceCode: LEDGER,
      ContractName: "Ledger",
      OptimizationUsed: "false",
      FileName: "",
      Address: address,
    });
  }
  const vault = compile(VAULT, "src/Vault.sol", "Vault");
  for (let count = 0; count < VAULTS; count++) {
    const { address } = await node.deploy(`0x${vault}`);
    // Etherscan's, and Blockscout's of several files.
    const [main, lid] = Object.values(VAULT.sources);
    said.set(
      address,
      count % 2 === 0
        ? {
            ...common,
            SourceCode: `{${JSON.stringify(VAULT)}}`,
            ContractName: "Vault",
            OptimizationUsed: "1",
            Runs: "1000",
          }
        : {
            ...common,
            SourceCode: main?.content,
            FileName: "src/Vault.sol",
            AdditionalSources: [{ Filename: "src/Lid.sol", SourceCode: lid?.content }],
            ContractName: "Vault",
            OptimizationUsed: "true",
            CompilerSettings: VAULT.settings,
          },
    );
  }
  liar = (await node.deploy(`0x${vault}`)).address;
  said.set(liar, {
    ...common,
    SourceCode: LEDGER,
    ContractName: "Ledger",
    OptimizationUsed: "0",
    Runs: "200",
  });
  const head = await node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  first = await startPeriscope(head.hash);
  second = await startPeriscope(head.hash);
  await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
}, PATIENCE_MS);
afterAll(async () => {
  await first.app.close();
  await second.app.close();
  await first.close();
  await second.close();
  await node.anvil.stop();
  stub.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = ({ app }: TestApp) => `${app.listeningOrigin}/api`;
const stubUrl = (place: string) =>
  `http://127.0.0.1:${(stub.address() as AddressInfo).port}${place}`;

async function run(command: "import-contracts" | "compare", ...given: string[]) {
  const lines: string[] = [];
  const exitCode = await runKit(command, [...given, "--pace", "0"], (line) => lines.push(line));
  return { exitCode, lines, text: lines.join("\n") };
}

const everything = LEDGERS + VAULTS;

test(
  "imports from a stub in both forms, believes nothing, and goes on where it stopped",
  async () => {
    const from = stubUrl("/moved?apikey=s3cret");
    const { exitCode, text, lines } = await run("import-contracts", from, "--to", urlOf(first));
    expect(exitCode).toBe(1);
    expect(lines).toContain(`${everything + 1} contracts: ${everything} verified, 0 before, 1 not`);
    expect(lines.at(-1)).toMatch(new RegExp(`^ {2}${liar} not verified: \\S.{10,}`));
    expect(text).not.toContain("s3cret");
    const again = await run("import-contracts", from, "--to", urlOf(first));
    expect(again.lines).toContain(
      `${everything + 1} contracts: 0 verified, ${everything} before, 1 not`,
    );
  },
  PATIENCE_MS,
);

test(
  "imports what another Periscope has, from either dialect",
  async () => {
    const half = [...said.keys()].slice(0, 3).join("\n");
    const file = path.join(folder, "addresses.txt");
    await writeFile(file, half);
    const etherscan = urlOf(first).replace("/api", "/v2/api");
    const some = await run(
      "import-contracts",
      etherscan,
      "--to",
      urlOf(second),
      "--addresses",
      file,
    );
    expect(some).toMatchObject({ exitCode: 0 });
    const { exitCode, lines } = await run("import-contracts", urlOf(first), "--to", urlOf(second));
    expect(lines).toContain(`${everything} contracts: ${everything - 3} verified, 3 before, 0 not`);
    expect(exitCode).toBe(0);
  },
  PATIENCE_MS,
);

test(
  "compares two of them, and names the one field that was doctored",
  async () => {
    const file = path.join(folder, "all.txt");
    const [address] = said.keys();
    await writeFile(file, [...said.keys()].join("\n"));
    const given = [urlOf(first), "--to", urlOf(second), "--addresses", file] as const;
    expect(await run("compare", ...given)).toMatchObject({
      exitCode: 0,
      lines: [expect.stringContaining("0 fields differ")],
    });
    await first.sql`UPDATE transactions SET gas_used = gas_used + 1 WHERE created_contract = ${address ?? ""}`;
    const { exitCode, lines } = await run("compare", ...given);
    expect(exitCode).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^${address} txlist result\\[0\\]\\.gasUsed: here "\\d+", there "\\d+"$`),
      ),
      expect.stringContaining("1 fields differ"),
    ]);
  },
  PATIENCE_MS,
);

test(
  "a Sourcify server, a redirect to another host, and wrong calls",
  async () => {
    const sourcify = await run(
      "import-contracts",
      stubUrl("/sourcify"),
      "--sourcify",
      "--chain",
      "31337",
      "--to",
      urlOf(first),
    );
    expect(sourcify).toMatchObject({ exitCode: 0, text: expect.stringContaining("1 before") });
    const moved = await run("import-contracts", stubUrl("/elsewhere"), "--to", urlOf(first));
    expect(moved).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("redirects to another origin (http://other.invalid)"),
    });
    for (const given of [
      [],
      ["nonsense"],
      [stubUrl("/api"), "--sourcify"],
      [stubUrl("/api"), "--unknown"],
    ]) {
      expect((await run("import-contracts", ...given)).exitCode).toBe(2);
    }
    expect((await run("compare", stubUrl("/api"))).exitCode).toBe(2);
  },
  PATIENCE_MS,
);

test(
  "imports from a folder of Sourcify's export",
  async () => {
    const { address } = await node.deploy(`0x${compile(VAULT, "src/Vault.sol", "Vault")}`);
    const { hash } = await node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
    await indexTo(first, hash);
    const contract = path.join(folder, "repository/partial_match/31337", getAddress(address));
    await mkdir(path.join(contract, "sources/src"), { recursive: true });
    const named = Object.entries(VAULT.sources);
    for (const [name, { content }] of named) {
      await writeFile(path.join(contract, "sources", name), content);
    }
    const sources = Object.fromEntries(
      named.map(([name, { content }]) => [name, { keccak256: keccak256(Buffer.from(content)) }]),
    );
    const metadata = {
      language: "Solidity",
      compiler: { version: COMPILER.slice(1) },
      settings: {
        compilationTarget: { "src/Vault.sol": "Vault" },
        optimizer: VAULT.settings.optimizer,
        libraries: {},
      },
      sources,
    };
    await writeFile(path.join(contract, "metadata.json"), JSON.stringify(metadata));
    const given = [folder, "--chain", "31337", "--to", urlOf(first)] as const;
    expect(await run("import-contracts", ...given)).toMatchObject({
      exitCode: 0,
      lines: [`${address} verified`, "1 contracts: 1 verified, 0 before, 0 not"],
    });
    await writeFile(path.join(contract, "sources/src/Lid.sol"), "// another one");
    expect(await run("import-contracts", ...given)).toMatchObject({ exitCode: 0 });
    expect(await run("import-contracts", folder, "--chain", "1")).toMatchObject({ exitCode: 2 });
    expect(await run("import-contracts", folder)).toMatchObject({ exitCode: 2 });
  },
  PATIENCE_MS,
);

import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import type net from "node:net";
import os from "node:os";
import path from "node:path";
import { concatHex, type Hex, numberToHex, pad, size, stringToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const PATIENCE = { timeout: 60_000, interval: 100 };
const RECORDER = path.join(import.meta.dirname, "support/egress-recorder.mjs");
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Receipt {
  contractAddress: Hex;
  blockNumber: Hex;
  status: Hex;
}

let anvil: Anvil;
let database: TestDatabase;
let periscope: Periscope;
let folder: string;
let base: string;
/** Stands for every server that a contract or a caller may name. */
let trap: http.Server;
let trapUrl: string;
const trapped: string[] = [];

beforeAll(async () => {
  trap = http.createServer((request, response) => {
    trapped.push(String(request.url));
    response.end("{}");
  });
  trap.listen(0, "127.0.0.1");
  await once(trap, "listening");
  trapUrl = `http://127.0.0.1:${(trap.address() as net.AddressInfo).port}`;
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-egress-"));
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  periscope = startPeriscope({
    DATABASE_URL: database.url,
    RPC_URL: anvil.url,
    DATA_DIR: folder,
    NODE_OPTIONS: `--import=${RECORDER}`,
    EGRESS_FILE: path.join(folder, "egress.txt"),
  });
  base = (await periscope.ready).api;
});
afterAll(async () => {
  await periscope?.end();
  trap?.close();
  await database?.drop();
  await anvil?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function callNode<Result>(method: string, params: unknown[] = []): Promise<Result> {
  const answer = await fetch(anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await answer.json()) as { result: Result }).result;
}

/** An NFT contract that answers every call, `tokenURI` and `name` included, with the same text. */
async function deployTalker(text: string): Promise<{ address: Hex; blockNumber: number }> {
  const word = (value: number) => numberToHex(value, { size: 32 });
  const bytes = stringToHex(text);
  const padded = pad(bytes, { dir: "right", size: Math.ceil(size(bytes) / 32) * 32 });
  const answer = concatHex([word(32), word(size(bytes)), padded]);
  const answerSize = numberToHex(size(answer), { size: 2 }).slice(2);
  const runtime = concatHex([`0x61${answerSize}600e60003961${answerSize}6000f3`, answer]);
  const runtimeSize = numberToHex(size(runtime), { size: 2 }).slice(2);
  // Transfer(0, deployer, 1), then the code above.
  const init: Hex = `0x6001336000${`7f${TRANSFER.slice(2)}`}60006000a461${runtimeSize}603960003961${runtimeSize}6000f3`;
  const [from] = await callNode<Hex[]>("eth_accounts");
  const hash = await callNode<Hex>("eth_sendTransaction", [
    { from, data: concatHex([init, runtime]), gas: "0x200000" },
  ]);
  const fetchReceipt = () => callNode<Receipt | null>("eth_getTransactionReceipt", [hash]);
  await expect.poll(fetchReceipt, PATIENCE).not.toBeNull();
  const receipt = (await fetchReceipt()) as Receipt;
  expect(receipt.status).toBe("0x1");
  return { address: receipt.contractAddress, blockNumber: Number(receipt.blockNumber) };
}

async function ask(parameters: Record<string, string>, headers = {}): Promise<string> {
  const body = new URLSearchParams(parameters);
  const answer = await fetch(base, { method: "POST", body, headers });
  const { result, message } = (await answer.json()) as { result: unknown; message: string };
  return typeof result === "string" ? result : message;
}

/** Submits a verification and waits for its end. */
async function verify(address: string, parameters: Record<string, string>): Promise<string> {
  const guid = await ask({
    module: "contract",
    action: "verifysourcecode",
    contractaddress: address,
    compilerversion: "v0.8.37+commit.f401782d",
    ...parameters,
  });
  const state = () => ask({ module: "contract", action: "checkverifystatus", guid });
  await expect.poll(state, PATIENCE).not.toBe("Pending in queue");
  return state();
}

test("asks nobody but the database and the node, whatever the chain and its callers name", async () => {
  const { address, blockNumber } = await deployTalker(`${trapUrl}/token`);
  await expect
    .poll(
      () => ask({ module: "block", action: "getblocktxnscount", blockno: String(blockNumber) }),
      PATIENCE,
    )
    .not.toContain("exist");
  await expect
    .poll(() => ask({ module: "token", action: "getToken", contractaddress: address }), PATIENCE)
    .toBe("OK");

  const source = `import "${trapUrl}/import.sol"; contract A {}`;
  const standardInput = {
    language: "Solidity",
    sources: {
      "A.sol": { urls: [`${trapUrl}/A.sol`, "bzzr://1234", "ipfs://1234", "file:///etc/passwd"] },
      [`${trapUrl}/B.sol`]: { content: source },
    },
    settings: { remappings: [`x/=${trapUrl}/`] },
  };
  const outcomes = [
    await verify(address, {
      codeformat: "solidity-single-file",
      contractname: "A",
      optimizationUsed: "0",
      sourceCode: source,
    }),
    await verify(address, {
      codeformat: "solidity-standard-json-input",
      contractname: "A.sol:A",
      sourceCode: JSON.stringify(standardInput),
    }),
    await verify(address, {
      codeformat: "vyper-json",
      contractname: "A.vy:A",
      compilerversion: "vyper:0.4.0",
      sourceCode: JSON.stringify({
        language: "Vyper",
        sources: { "A.vy": { content: `from ${trapUrl} import A` } },
        settings: { search_paths: [trapUrl] },
      }),
    }),
  ];
  expect(outcomes).toEqual(Array(3).fill("Fail - Unable to verify"));
  await ask(
    {
      module: "contract",
      action: "getsourcecode",
      address,
      url: trapUrl,
      apikey: `${trapUrl}/key`,
    },
    { origin: trapUrl, referer: `${trapUrl}/referer`, "x-forwarded-host": new URL(trapUrl).host },
  );
  await ask({ module: "contract", action: "verifyproxycontract", address });

  const places = new Set(
    (await readFile(path.join(folder, "egress.txt"), "utf8")).trim().split("\n"),
  );
  const allowed = [new URL(database.url).host, new URL(anvil.url).host];
  for (const place of allowed) expect(places).toContain(place);
  for (const place of allowed) places.delete(place);
  // Where it listens itself.
  for (const place of places) expect(place).toMatch(/^lookup (?:127\.0\.0\.1|localhost)$/);
  expect(trapped).toEqual([]);
});

import { createRequire } from "node:module";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createChain } from "../../../../../src/chain/client.ts";
import type { Address } from "../../../../../src/core/evm/address.ts";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import { openCatalogue } from "../../../../../src/verification/compilers/catalogue.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt } from "../../../../support/build.ts";
import { startTestIndexer } from "../../../../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/postgres.ts";
import { startTestVerifier } from "../../../../support/verifier.ts";
import { type DeploymentChain, startDeploymentChain } from "../../../../verification/deployment.ts";

const COMPILER = "v0.8.37+commit.f401782d";
const STARTS_NOWHERE = addressAt(0x999);

const LEDGER = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Ledger { uint256 public total; constructor(uint256 start) { total = start; } }
`;
const PROXY = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Proxy {
  constructor(address logic) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, logic) }
  }
  fallback() external payable {
    assembly {
      let logic := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), logic, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if ok { return(0, returndatasize()) }
      revert(0, returndatasize())
    }
  }
}
`;
const input = {
  language: "Solidity",
  sources: {
    "src/Vault.sol": {
      content:
        'pragma solidity ^0.8.0; import "./IVault.sol"; contract Vault is IVault { function open() external pure returns (bool) { return true; } }',
    },
    "src/IVault.sol": {
      content:
        "pragma solidity ^0.8.0; interface IVault { function open() external returns (bool); }",
    },
  },
  settings: { optimizer: { enabled: true, runs: 1000 }, outputSelection: { "*": { "*": ["*"] } } },
};

interface Compiled {
  evm: { bytecode: { object: string } };
  metadata: string;
}

function compile(standardJson: object, file: string, name: string): Compiled {
  const solc = createRequire(import.meta.url)("solc");
  return JSON.parse(solc.compile(JSON.stringify(standardJson))).contracts[file][name];
}

function compileFile(source: string, name: string): Compiled {
  const sources = { [`${name}.sol`]: { content: source } };
  const settings = { outputSelection: { "*": { "*": ["*"] } } };
  return compile({ language: "Solidity", sources, settings }, `${name}.sol`, name);
}

function word(value: string | number): string {
  return (typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0");
}

let node: DeploymentChain;
let database: TestDatabase;
let server: TestApp;
let close: () => Promise<void>;
const ledgers: Address[] = [];
let vault: Address;
let vaultCode: Hex;
let files: Address;
let proxy: Address;

async function deploy(compiled: Compiled, ...words: (string | number)[]): Promise<Address> {
  const code: Hex = `0x${compiled.evm.bytecode.object}${words.map(word).join("")}`;
  return (await node.deploy(code)).address;
}

beforeAll(async () => {
  node = await startDeploymentChain();
  const ledger = compileFile(LEDGER, "Ledger");
  for (let start = 0; start < 5; start++) ledgers.push(await deploy(ledger, 42 + start));
  vaultCode = `0x${compile(input, "src/Vault.sol", "Vault").evm.bytecode.object}`;
  vault = (await node.deploy(vaultCode)).address;
  files = await deploy(compile(input, "src/Vault.sol", "Vault"));
  proxy = await deploy(compileFile(PROXY, "Proxy"), ledgers[0] ?? "0x");
  database = await createTestDatabase();
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.anvil.url] });
  const head = await node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  await indexer.reach(head.hash);
  const log = pino({ level: "silent" });
  const stop = new AbortController();
  const chain = createChain({
    urls: [node.anvil.url],
    requestTimeoutMs: 5_000,
    batchSize: 100,
    concurrency: 4,
    maxResponseBytes: 16 * 1024 * 1024,
    traces: "off",
    log,
    signal: stop.signal,
  });
  const none = { folder: "/nonexistent", listUrl: undefined };
  const catalogue = openCatalogue({ solc: none, vyper: none }, log);
  const verifier = startTestVerifier({
    ...{ sql: database.sql, chain, catalogue, concurrency: 1, log, inProcess: true },
  });
  server = await createTestApp({ sql: database.sql, chain, verifier });
  close = async () => {
    await verifier.close();
    await indexer.stop();
    await server.close();
    stop.abort();
    await chain.close();
    await database.drop();
    await node.anvil.stop();
  };
});
afterAll(() => close());

type Fields = Readonly<Record<string, string>>;

/** As forge sends: everything in a form body. */
async function post(fields: Fields, path = "/api") {
  const response = await server.app.inject({
    method: "POST",
    url: path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ module: "contract", ...fields }).toString(),
  });
  return { httpStatus: response.statusCode, ...response.json() };
}

async function ended(guid: string, path = "/api") {
  return vi.waitUntil(
    async () => {
      const answer = await post({ action: "checkverifystatus", guid }, path);
      return answer.result === "Pending in queue" ? undefined : answer;
    },
    { timeout: 60_000, interval: 200 },
  );
}

const singleFile = (contractaddress: string | undefined, more: Fields = {}): Fields => ({
  action: "verifysourcecode",
  codeformat: "solidity-single-file",
  contractaddress: contractaddress ?? "",
  contractname: "Ledger",
  compilerversion: COMPILER,
  optimizationUsed: "0",
  sourceCode: LEDGER,
  ...more,
});

describe("verifysourcecode", () => {
  test("gives a guid; the first question about it is answered by the pass, and the contract is verified", async () => {
    const [address = "0x"] = ledgers;
    const submitted = await post(singleFile(address, { licenseType: "3" }));
    expect(submitted).toMatchObject({ httpStatus: 200, status: "1", message: "OK" });
    expect(submitted.result).toMatch(new RegExp(`^${address.slice(2)}[0-9a-f]{16}$`));
    const pass = { httpStatus: 200, status: "1", message: "OK", result: "Pass - Verified" };
    expect(await ended(submitted.result)).toEqual(pass);
    expect(await ended(submitted.result, "/v2/api")).toEqual(pass);
    const { result } = await post({ action: "getsourcecode", address });
    expect(result[0]).toMatchObject({
      SourceCode: LEDGER,
      ContractName: "Ledger",
      CompilerVersion: COMPILER,
      ConstructorArguments: word(42),
      IsProxy: "false",
    });
    const abi = await post({ action: "getabi", address });
    expect(JSON.parse(abi.result)).toHaveLength(2);
  });

  test("says that a contract is verified already, in the words that each dialect's clients know", async () => {
    const again = singleFile(ledgers[0]);
    const known = "Smart-contract already verified.";
    expect(await post(again)).toMatchObject({ status: "0", message: known, result: known });
    expect(await post(again, "/v2/api")).toMatchObject({
      status: "0",
      message: "NOTOK",
      result: "Contract source code already verified",
    });
  });

  test("takes standard JSON as text in a form and as an object in JSON", async () => {
    const response = await server.app.inject({
      method: "POST",
      url: "/api?module=contract&action=verifysourcecode",
      payload: {
        codeformat: "solidity-standard-json-input",
        contractaddress: vault,
        contractname: "src/Vault.sol:Vault",
        compilerversion: COMPILER,
        sourceCode: input,
      },
    });
    expect((await ended(response.json().result)).result).toBe("Pass - Verified");
    const { result } = await post({ action: "getsourcecode", address: vault });
    expect(result[0]).toMatchObject({ FileName: "src/Vault.sol", OptimizationRuns: 1000 });
    expect(result[0].AdditionalSources).toHaveLength(1);
    const etherscan = await post({ action: "getsourcecode", address: vault }, "/v2/api");
    expect(JSON.parse(etherscan.result[0].SourceCode.slice(1, -1)).sources).toEqual(input.sources);
  });

  test("tells a failure with its reason, and takes another submission at once", async () => {
    const [, address] = ledgers;
    const wrong = await post(
      singleFile(address, { sourceCode: LEDGER.replace("total;", "total; uint256 public more;") }),
    );
    expect(await ended(wrong.result)).toMatchObject({
      httpStatus: 200,
      status: "1",
      message: expect.stringMatching(/^Bytecode does not match, please try again\./),
      result: "Fail - Unable to verify",
    });
    expect(await ended(wrong.result, "/v2/api")).toEqual({
      httpStatus: 200,
      status: "0",
      message: "NOTOK",
      result: "Fail - Unable to verify",
    });
    const argument = word(7);
    const arguments_ = await post(singleFile(address, { constructorArguements: argument }));
    expect((await ended(arguments_.result)).message).toMatch(/^Constructor arguments do not match/);
    const right = await post(singleFile(address, { constructorArguements: "" }));
    expect((await ended(right.result)).result).toBe("Pass - Verified");
  });

  const noCode = "Address is not a smart-contract";
  test.each<[string, Fields, string, string | null]>([
    ["no codeformat", { codeformat: "" }, "Missing codeformat field", null],
    ["an unknown codeformat", { codeformat: "constructor" }, "Missing codeformat field", null],
    ["no address", { contractaddress: "" }, "Missing codeformat field", null],
    [
      "standard JSON without a source",
      { codeformat: "solidity-standard-json-input", sourceCode: "" },
      "Missing sourceCode or contractaddress fields",
      null,
    ],
    [
      "a bad address",
      { contractaddress: "0x12", contractname: "" },
      "Invalid address hash",
      "same",
    ],
    ["no name", { contractname: "", compilerversion: "" }, "contractname is required.", "same"],
    [
      "no compiler",
      { compilerversion: "", sourceCode: "" },
      "compilerversion is required.",
      "same",
    ],
    [
      "no optimisation",
      { optimizationUsed: "", sourceCode: "" },
      "optimizationUsed is required.",
      "same",
    ],
    ["no source", { sourceCode: "", optimizationUsed: "x" }, "sourceCode is required.", "same"],
    [
      "bad optimisation",
      { optimizationUsed: "yes" },
      "optimizationUsed has invalid format",
      "same",
    ],
    [
      "another compiler",
      { zksolcVersion: "v1.5.0" },
      "Compiler version does not match, please try again. zksolc v1.5.0 is not available here.",
      "same",
    ],
    ["no code", { contractaddress: STARTS_NOWHERE }, noCode, "same"],
  ])("refuses %s", async (_what, fields, message, result) => {
    const request = singleFile(ledgers[2], fields);
    expect(await post(request)).toEqual({
      httpStatus: 200,
      status: "0",
      message,
      result: result === "same" ? message : null,
    });
    const etherscan =
      message === noCode ? `Unable to locate ContractCode at ${STARTS_NOWHERE}` : message;
    expect(await post(request, "/v2/api")).toMatchObject({ message: "NOTOK", result: etherscan });
  });
});

test("another text that proves as much is not served, and its sender reads so", async () => {
  const address = await deploy(compileFile(LEDGER, "Ledger"), 99);
  const send = async (comment: string) => {
    const sourceCode = LEDGER.replace("contract", `// ${comment}\ncontract`);
    const { result } = await post(singleFile(address, { sourceCode }));
    return ended(result);
  };
  expect(await send("first")).toMatchObject({ message: "OK", result: "Pass - Verified" });
  expect(await send("first")).toMatchObject({ message: "OK", result: "Pass - Verified" });
  expect(await send("second")).toMatchObject({
    status: "1",
    message: expect.stringContaining("an earlier verification that proves as much stays"),
    result: "Pass - Verified",
  });
  const { result } = await post({ action: "getsourcecode", address });
  expect(result[0].SourceCode).toContain("// first");
});

test("Blockscout's REST paths start the same jobs, and say when the contract is verified", async () => {
  const address = (await node.deploy(vaultCode)).address;
  const path = `/api/v2/smart-contracts/${address}`;
  const isVerified = async () => (await server.app.inject(path)).json().is_verified;
  expect(await isVerified()).toBe(false);
  const form = new FormData();
  form.set("compiler_version", COMPILER);
  form.set("contract_name", "src/Vault.sol:Vault");
  form.set("license_type", "mit");
  form.set("files[0]", new Blob([`{${JSON.stringify(input)}}`]), "input.json");
  const encoded = new Response(form);
  const send = async (way: string) =>
    server.app.inject({
      method: "POST",
      url: `${path}/verification/via/${way}`,
      headers: { "content-type": encoded.headers.get("content-type") ?? "" },
      payload: body,
    });
  const body = Buffer.from(await encoded.arrayBuffer());
  const started = await send("standard-input");
  expect([started.statusCode, started.json()]).toEqual([
    200,
    { message: "Smart-contract verification started" },
  ]);
  await vi.waitUntil(isVerified, { timeout: 60_000, interval: 200 });
  const { result } = await post({ action: "getsourcecode", address });
  expect(result[0]).toMatchObject({ FileName: "src/Vault.sol", OptimizationRuns: 1000 });
  const again = await send("standard-input");
  expect([again.statusCode, again.json()]).toEqual([422, { message: "Already verified" }]);
  expect((await send("stylus")).statusCode).toBe(404);
  const nowhere = await server.app.inject(`/api/v2/smart-contracts/${STARTS_NOWHERE}x`);
  expect(nowhere.statusCode).toBe(422);
});

describe("verify", () => {
  const request = (addressHash: string | undefined, more: Fields = {}): Fields => ({
    action: "verify",
    addressHash: addressHash ?? "",
    name: "Ledger",
    compilerVersion: COMPILER,
    optimization: "false",
    contractSourceCode: LEDGER,
    ...more,
  });

  test("answers with the contract as getsourcecode has it", async () => {
    const [, , address = "0x"] = ledgers;
    const { status, result } = await post(request(address));
    const [source] = (await post({ action: "getsourcecode", address })).result;
    expect([status, result]).toEqual(["1", source]);
    expect(result.Address).toBe(address);
    const etherscan = await post(request(ledgers[3]), "/v2/api");
    expect(etherscan.result).toMatchObject({ ContractName: "Ledger", Proxy: "0" });
    expect(await post(request(address))).toMatchObject({
      message: "Smart-contract already verified.",
      result: null,
    });
  });

  test("tells why it refuses", async () => {
    const { message, result } = await post(request(ledgers[4], { name: "Book" }));
    expect(message).toMatch(
      /^Something went wrong while publishing the contract: Wrong contract name, please try again\./,
    );
    expect(result).toBeNull();
  });

  test.each<[string, Fields, object]>([
    [
      "no address",
      { addressHash: "" },
      { httpStatus: 400, message: "addressHash is required.", result: null },
    ],
    [
      "no name",
      { name: "", compilerVersion: "" },
      { httpStatus: 200, message: "name is required." },
    ],
    ["no optimisation", { optimization: "" }, { message: "optimization is required." }],
    [
      "no source",
      { contractSourceCode: "", addressHash: "0x1" },
      { message: "contractSourceCode is required." },
    ],
    ["a bad address", { addressHash: "0x1" }, { message: "Invalid address hash", result: null }],
    [
      "no code",
      { addressHash: STARTS_NOWHERE },
      { message: "Address is not a smart-contract", result: "Address is not a smart-contract" },
    ],
  ])("refuses %s", async (_what, fields, answer) => {
    expect(await post(request(ledgers[4], fields))).toMatchObject({ status: "0", ...answer });
  });
});

test("verify_vyper_contract names the missing compiler", async () => {
  const answer = await post({
    action: "verify_vyper_contract",
    addressHash: ledgers[4] ?? "",
    name: "Vault",
    compilerVersion: "v0.3.10+commit.91361694",
    contractSourceCode: "total: public(uint256)",
  });
  expect(answer.message).toMatch(
    /^Something went wrong while publishing the contract: Compiler version does not match, please try again\./,
  );
});

describe("verify_via_sourcify and verify_via_repository", () => {
  const attached = () => ({
    "metadata.json": compile(input, "src/Vault.sol", "Vault").metadata,
    "one.sol": input.sources["src/IVault.sol"].content,
    "two.sol": input.sources["src/Vault.sol"].content,
  });

  async function send(action: string, payload: object) {
    const url = `/api?module=contract&action=${action}`;
    const response = await server.app.inject({ method: "POST", url, payload });
    return response.json();
  }

  async function sendFiles(
    name: string,
    parts: Readonly<Record<string, string>>,
    addressHash = files,
  ) {
    const form = new FormData();
    form.set("addressHash", addressHash);
    for (const [file, content] of Object.entries(parts))
      form.append(name, new Blob([content]), file);
    const request = new Request("http://localhost", { method: "POST", body: form });
    const response = await server.app.inject({
      method: "POST",
      url: "/api?module=contract&action=verify_via_repository",
      headers: { "content-type": request.headers.get("content-type") ?? "" },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return response.json();
  }

  test.each<[string, () => Promise<unknown>, string]>([
    ["no address", () => send("verify_via_sourcify", { files: [] }), "addressHash is required."],
    [
      "no files",
      () => send("verify_via_sourcify", { addressHash: files }),
      "You should attach at least 2 files",
    ],
    [
      "a text for files",
      () => send("verify_via_sourcify", { addressHash: files, files: "x" }),
      "Invalid args format",
    ],
    [
      "one file",
      () => sendFiles("files[]", { "metadata.json": "{}" }),
      "You should attach at least 2 files",
    ],
    ...[{ fileName: ["a.json"] }, { content: 5 }, { content: {} }].map(
      (part): [string, () => Promise<unknown>, string] => [
        `a file with ${JSON.stringify(part)}`,
        () => {
          const others = { fileName: "a.json", content: "{}" };
          const sent = [
            { ...others, ...part },
            { fileName: "b.sol", content: "" },
          ];
          return send("verify_via_sourcify", { addressHash: files, files: sent });
        },
        "You should attach at least 2 files",
      ],
    ),
    ["a single file", () => sendFiles("files", { "metadata.json": "{}" }), "Invalid args format"],
    [
      "no JSON",
      () => sendFiles("files[]", { "a.sol": "", "b.txt": "" }),
      "You should attach at least one *.json and one *.sol files",
    ],
    [
      "no metadata",
      () => sendFiles("files[]", { "a.sol": "", "b.JSON": "{}" }),
      "Sourcify did not return metadata",
    ],
    [
      "sources that the metadata does not name",
      () => sendFiles("files[]", { ...attached(), "one.sol": "// other" }),
      "Unsuccessful Sourcify verification",
    ],
    [
      "an address without code",
      () => sendFiles("files[]", attached(), STARTS_NOWHERE),
      "Address is not a smart-contract",
    ],
  ])("refuse %s", async (_what, request, message) => {
    expect(await request()).toMatchObject({ status: "0", message });
  });

  test("match the sources to the metadata by their content, and answer with the contract", async () => {
    const { status, result } = await sendFiles("files", attached());
    expect(status).toBe("1");
    expect(result).toMatchObject({ FileName: "src/Vault.sol", ContractName: "Vault" });
    expect(
      await send("verify_via_sourcify", { addressHash: files, files: attached() }),
    ).toMatchObject({
      message: "Smart-contract already verified.",
    });
  });
});

describe("verifyproxycontract", () => {
  const check = async (guid: string, path?: string) =>
    post({ action: "checkproxyverification", guid }, path);

  test("needs the proxy's own source", async () => {
    expect(await post({ action: "verifyproxycontract", address: proxy })).toEqual({
      httpStatus: 200,
      status: "0",
      message: "Smart-contract not found or is not verified",
      result: null,
    });
  });

  test("finds the implementation, and getsourcecode tells it", async () => {
    const submitted = await post(singleFile(proxy, { contractname: "Proxy", sourceCode: PROXY }));
    expect((await ended(submitted.result)).result).toBe("Pass - Verified");
    const { result: guid } = await post({ action: "verifyproxycontract", address: proxy });
    const [implementation] = ledgers;
    expect(await check(guid)).toEqual({
      httpStatus: 200,
      status: "1",
      message: "OK",
      result: `The proxy's (${proxy}) implementation contract is found at ${implementation} and is successfully updated.`,
    });
    const { result } = await post({ action: "getsourcecode", address: proxy });
    expect(result[0]).toMatchObject({ IsProxy: "true", ImplementationAddress: implementation });
  });

  test("finds none when another implementation is expected", async () => {
    const expecting = {
      action: "verifyproxycontract",
      address: proxy,
      expectedimplementation: STARTS_NOWHERE,
    };
    const { result: guid } = await post(expecting);
    expect(await check(guid)).toEqual({
      httpStatus: 200,
      status: "0",
      message: "NOTOK",
      result:
        "A corresponding implementation contract was unfortunately not detected for the proxy address.",
    });
    const ignored = await post({ ...expecting, expectedimplementation: "nonsense" });
    expect((await check(ignored.result)).status).toBe("1");
  });

  test.each([
    [{ action: "verifyproxycontract" }, 400, "Query parameter address is required"],
    [{ action: "verifyproxycontract", address: "0x1" }, 200, "Invalid address hash"],
    [{ action: "checkproxyverification" }, 400, "Query parameter guid is required"],
    [{ action: "checkverifystatus" }, 400, "Query parameter guid is required"],
  ])("refuses %j", async (fields, httpStatus, message) => {
    expect(await post(fields as unknown as Fields)).toEqual({
      httpStatus,
      status: "0",
      message,
      result: null,
    });
  });
});

test.each(["checkverifystatus", "checkproxyverification"])(
  "%s does not know a foreign guid",
  async (action) => {
    for (const guid of ["", "x", `${STARTS_NOWHERE.slice(2)}0123456789abcdef`]) {
      expect(await post({ action, guid })).toMatchObject({
        status: "1",
        message: "OK",
        result: "Unknown UID",
      });
      expect(await post({ action, guid }, "/v2/api")).toMatchObject({
        status: "0",
        message: "NOTOK",
        result: "Unknown UID",
      });
    }
  },
);

import { createRequire } from "node:module";
import type { InjectOptions } from "fastify";
import { getAddress, keccak256, stringToBytes } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { createTestApp, TEST_CHAIN_ID, type TestApp } from "../../support/app.ts";
import { addressAt } from "../../support/build.ts";
import { deployProgram, note, startWorld, type World } from "../../verification/world.ts";

const VERSION = "0.8.37+commit.f401782d";
const CHAIN = String(TEST_CHAIN_ID);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const PATH = "src/__proto__.sol";
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
library Far { function plus(uint256 x) external pure returns (uint256) { return x + 1; } }
contract Box {
  struct Pair { uint256 a; address b; }
  event Kept(Pair[2] pairs, uint256 indexed id);
  error Empty(bytes32 why);
  uint256 public immutable size;
  /// @notice keeps it
  function keep(Pair memory pair) external returns (uint256) { emit Kept([pair, pair], 1); if (pair.a == 0) revert Empty(0); return Far.plus(pair.a); }
  constructor(uint256 s) { size = s; }
}
`;

let world: World;
let verifier: Verifier;
let server: TestApp;
let far: Address;
let box: Address;
let metadataBox: Address;
let settings: object;
let compiled: Output;

interface Output {
  abi: unknown[];
  metadata: string;
  userdoc: object;
  devdoc: object;
  storageLayout: object;
  evm: {
    bytecode: { object: string; sourceMap: string };
    deployedBytecode: { object: string; sourceMap: string; immutableReferences: object };
  };
}

function compile(): { contracts: Record<string, Record<string, Output>>; sources: object } {
  const solc = createRequire(import.meta.url)("solc");
  const input = {
    language: "Solidity",
    sources: { [PATH]: { content: SOURCE } },
    settings: { ...settings, outputSelection: { "*": { "*": ["*"] } } },
  };
  return JSON.parse(solc.compile(JSON.stringify(input)));
}

beforeAll(async () => {
  world = await startWorld();
  settings = { optimizer: { enabled: true, runs: 77 } };
  const library: Hex = `0x${compile().contracts[PATH]?.["Far"]?.evm.bytecode.object}`;
  far = (await world.node.deploy(library)).address;
  settings = { ...settings, libraries: { [PATH]: { Far: far } } };
  compiled = compile().contracts[PATH]?.["Box"] as Output;
  const creation: Hex = `0x${compiled.evm.bytecode.object}${"2a".padStart(64, "0")}`;
  box = (await world.node.deploy(creation)).address;
  metadataBox = (await world.node.deploy(creation)).address;
  const head = await world.node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  await world.indexer.reach(head.hash);
  verifier = world.startVerifier({ inProcess: true });
  server = await createTestApp({ sql: world.sql, chain: world.chain, verifier });
});
afterAll(async () => {
  await server.close();
  await verifier.close();
  await world.stop();
});

async function ask(path: string, options: Partial<InjectOptions> = {}) {
  const response = await server.app.inject({ url: `/sourcify${path}`, ...options });
  const { statusCode, headers } = response;
  return { status: statusCode, headers, body: response.body === "" ? undefined : response.json() };
}

/** A job once it is done: an answer waits 10 s for it, which a busy machine may need more than once. */
async function askJob(path: string) {
  for (;;) {
    const answer = await ask(path);
    if (answer.body.isJobCompleted !== false) return answer;
  }
}

function post(path: string, payload: unknown) {
  return ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}

function submission(overrides: object = {}) {
  return {
    stdJsonInput: {
      language: "Solidity",
      sources: { [PATH]: { content: SOURCE } },
      settings,
    },
    compilerVersion: VERSION,
    contractIdentifier: `${PATH}:Box`,
    ...overrides,
  };
}

const UNVERIFIED = (address: Address) => ({
  match: null,
  creationMatch: null,
  runtimeMatch: null,
  chainId: CHAIN,
  address: getAddress(address),
});

describe("a contract that nobody verified", () => {
  test.each(["", "?fields=all", "?fields=abi,compilation", "?omit=abi", "/"])(
    "is a 404 with the minimal object: %s",
    async (query) => {
      const { status, body } = await ask(`/v2/contract/${CHAIN}/${box}${query}`);
      expect(status).toBe(404);
      expect(body).toEqual(UNVERIFIED(box));
    },
  );

  test("is no result of any chain", async () => {
    const { status, body } = await ask(`/v2/contract/all-chains/${box}`);
    expect([status, body]).toEqual([404, { results: [] }]);
  });
});

describe("a verification by standard JSON", () => {
  let verificationId: string;

  test("is accepted with an identifier, also without code, and takes the hash of a creation", async () => {
    const { status, body } = await post(
      `/v2/verify/${CHAIN}/${box}`,
      submission({ creationTransactionHash: `0x${"12".repeat(32)}`, whatever: 1 }),
    );
    expect(status).toBe(202);
    expect(body).toEqual({ verificationId: expect.stringMatching(/^[0-9a-f]{56}$/) });
    verificationId = body.verificationId;
  });

  test("tells its end to who waits, in either spelling of the base, and to checkverifystatus", async () => {
    const paths = [
      `/v2/verify/${verificationId}`,
      `v2/verify/${verificationId}`,
      `//v2//verify/${verificationId}/`,
      `/v2/verify/${verificationId.toUpperCase()}`,
    ];
    for (const path of paths) {
      const { status, body } = await askJob(path);
      expect(status).toBe(200);
      expect(body).toEqual({
        isJobCompleted: true,
        verificationId,
        jobStartTime: expect.stringMatching(TIME),
        jobFinishTime: expect.stringMatching(TIME),
        contract: {
          match: "exact_match",
          creationMatch: "exact_match",
          runtimeMatch: "exact_match",
          chainId: CHAIN,
          address: getAddress(box),
          verifiedAt: expect.stringMatching(TIME),
          matchId: expect.stringMatching(/^\d+$/),
        },
      });
    }
    const status = await server.app.inject(
      `/api?module=contract&action=checkverifystatus&guid=${verificationId}`,
    );
    expect(status.json().result).toBe("Pass - Verified");
  });

  test("is a conflict when the contract is fully verified", async () => {
    const { status, body } = await post(`/v2/verify/${CHAIN}/${box}`, submission());
    expect(status).toBe(409);
    expect(body).toEqual({
      customCode: "already_verified",
      message: expect.any(String),
      errorId: expect.stringMatching(UUID),
    });
  });

  test("is readable by the other dialects at once", async () => {
    const response = await server.app.inject(`/api?module=contract&action=getabi&address=${box}`);
    expect(JSON.parse(response.json().result)).toEqual(compiled.abi);
  });
});

describe("a verified contract", () => {
  const lookup = async (query: string) => (await ask(`/v2/contract/${CHAIN}/${box}${query}`)).body;

  test("has all that its compiler gave, and how the codes on chain follow", async () => {
    const all = await lookup("?fields=all");
    const output = compile();
    const { evm } = compiled;
    const creation: Hex = await creationCode(box);
    const runtime = await world.node.request<Hex>("eth_getCode", box, "latest");
    const [transaction] = await world.sql`
      SELECT t.* FROM contracts c JOIN transactions t USING (block_number, transaction_index)
      WHERE c.address = ${box}`;
    expect(all).toMatchObject({
      abi: compiled.abi,
      metadata: JSON.parse(compiled.metadata),
      sources: { [PATH]: { content: SOURCE } },
      compilation: {
        language: "Solidity",
        compiler: "solc",
        compilerVersion: VERSION,
        compilerSettings: settings,
        name: "Box",
        fullyQualifiedName: `${PATH}:Box`,
      },
      deployment: {
        transactionHash: transaction?.["hash"],
        blockNumber: String(transaction?.["blockNumber"]),
        transactionIndex: String(transaction?.["transactionIndex"]),
        deployer: getAddress(transaction?.["fromAddress"]),
      },
      userdoc: compiled.userdoc,
      devdoc: compiled.devdoc,
      storageLayout: compiled.storageLayout,
      sourceIds: output.sources,
      creationBytecode: {
        onchainBytecode: creation,
        recompiledBytecode: `0x${evm.bytecode.object}`,
        sourceMap: evm.bytecode.sourceMap,
        transformations: [
          {
            type: "insert",
            reason: "constructorArguments",
            offset: evm.bytecode.object.length / 2,
          },
        ],
        transformationValues: { constructorArguments: `0x${"2a".padStart(64, "0")}` },
      },
      runtimeBytecode: {
        onchainBytecode: runtime,
        recompiledBytecode: `0x${evm.deployedBytecode.object}`,
        sourceMap: evm.deployedBytecode.sourceMap,
        immutableReferences: evm.deployedBytecode.immutableReferences,
      },
      stdJsonInput: { language: "Solidity", sources: { [PATH]: { content: SOURCE } }, settings },
      stdJsonOutput: {
        sources: output.sources,
        contracts: {
          [PATH]: {
            Box: {
              abi: compiled.abi,
              metadata: compiled.metadata,
              evm: {
                bytecode: { object: evm.bytecode.object, sourceMap: evm.bytecode.sourceMap },
                deployedBytecode: { object: evm.deployedBytecode.object },
              },
            },
          },
        },
      },
      proxyResolution: { isProxy: false, proxyType: null, implementations: [] },
      match: "exact_match",
    });
  });

  async function creationCode(address: Address): Promise<Hex> {
    const [row] = await world.sql`
      SELECT t.input FROM contracts c JOIN transactions t USING (block_number, transaction_index)
      WHERE c.address = ${address}`;
    return row?.["input"];
  }

  test("has signatures with their hashes", async () => {
    const { signatures } = await lookup("?fields=signatures");
    const entry = (signature: string) => {
      const hash = keccak256(stringToBytes(signature));
      return { signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) };
    };
    expect(signatures).toEqual({
      function: [entry("keep((uint256,address))"), entry("size()")],
      event: [entry("Kept((uint256,address)[2],uint256)")],
      error: [entry("Empty(bytes32)")],
    });
  });

  test("gives only what is asked for, and always the minimal object", async () => {
    const minimal = await lookup("");
    expect(Object.keys(minimal).sort()).toEqual([
      "address",
      "chainId",
      "creationMatch",
      "match",
      "matchId",
      "runtimeMatch",
      "verifiedAt",
    ]);
    expect(await lookup("?fields=&omit=")).toEqual(minimal);
    expect(await lookup("?fields=match,matchId")).toEqual(minimal);
    expect(await lookup("?unknown=1&fields=compilation.fullyQualifiedName")).toEqual({
      ...minimal,
      compilation: { fullyQualifiedName: `${PATH}:Box` },
    });
    expect(await lookup("?fields=compilation.name,compilation.language")).toEqual({
      ...minimal,
      compilation: { name: "Box", language: "Solidity" },
    });
    const all = await lookup("?fields=all");
    const { abi: _abi, ...withoutAbi } = all;
    const { name: _name, ...compilation } = all.compilation;
    expect(await lookup("?omit=abi,compilation.name,match")).toEqual({
      ...withoutAbi,
      compilation,
    });
  });

  test.each([
    "fields=abi&omit=metadata",
    "fields=nothing",
    "fields=compilation.nothing",
    "fields=compilation.compilerSettings.optimizer",
    "fields=all,abi",
    "fields=abi,",
    "fields=sources.__proto__",
    "fields=__proto__",
    "omit=all",
  ])("refuses %s", async (query) => {
    const { status, body } = await ask(`/v2/contract/${CHAIN}/${box}?${query}`);
    expect([status, body.customCode]).toEqual([400, "invalid_parameter"]);
  });

  test("stored before there were source maps leaves them out", async () => {
    const [before] = await world.sql`
      UPDATE verified_contracts SET source_ids = NULL, creation_source_map = NULL, runtime_source_map = NULL
      WHERE address = ${box} RETURNING match_id`;
    expect(before).toBeDefined();
    const { stdJsonOutput, runtimeBytecode, creationBytecode, sourceIds } =
      await lookup("?fields=all");
    expect(sourceIds).toBeNull();
    expect(stdJsonOutput).not.toHaveProperty("sources");
    expect(runtimeBytecode).not.toHaveProperty("sourceMap");
    expect(creationBytecode).not.toHaveProperty("sourceMap");
  });

  test("is the one of all chains, and in the list in either order", async () => {
    const other = await deployProgram(world.node, note("listed"));
    const request = submission({
      stdJsonInput: {
        language: "Solidity",
        sources: { "Note.sol": { content: note("listed").source } },
        settings: { optimizer: { enabled: true, runs: 200 } },
      },
      contractIdentifier: "Note.sol:Note",
      compilerVersion: `v${VERSION}`,
    });
    const { body: accepted } = await post(`/v2/verify/${CHAIN}/${getAddress(other)}`, request);
    const { body: job } = await askJob(`/v2/verify/${accepted.verificationId}`);
    expect(job.contract.match).toBe("exact_match");
    const first = await lookup("");
    const second = (await ask(`/v2/contract/${CHAIN}/${other}`)).body;
    expect((await ask(`/v2/contract/all-chains/${box}`)).body).toEqual({ results: [first] });
    const list = async (query: string) =>
      (await ask(`/v2/contracts/${CHAIN}${query}`)).body.results;
    expect(await list("")).toEqual([second, first]);
    expect(await list("?sort=asc")).toEqual([first, second]);
    expect(await list("?limit=1")).toEqual([second]);
    expect(await list(`?sort=asc&afterMatchId=${first.matchId}`)).toEqual([second]);
    expect(await list(`?afterMatchId=${second.matchId}`)).toEqual([first]);
    expect(await list(`?sort=asc&afterMatchId=${second.matchId}`)).toEqual([]);
  });

  test.each(["limit=0", "limit=201", "limit=x", "limit=1.5", "sort=up", "afterMatchId=-1"])(
    "is not listed by %s",
    async (query) => {
      const { status, body } = await ask(`/v2/contracts/${CHAIN}?${query}`);
      expect([status, body.customCode]).toEqual([400, "invalid_parameter"]);
    },
  );
});

describe("an unverified contract", () => {
  const similar = async (address: Address) => ask(`/v2/contract/similar/${CHAIN}/${address}`);

  test("is similar to a verified one of the same code, other immutables aside", async () => {
    const other: Hex = `0x${compiled.evm.bytecode.object}${"2b".padStart(64, "0")}`;
    const twin = (await world.node.deploy(other)).address;
    const minimal = (await ask(`/v2/contract/${CHAIN}/${box}`)).body;
    expect((await similar(twin)).body).toEqual({ results: [minimal] });
    expect((await ask(`/v2/contract/${CHAIN}/${twin}?fields=all`)).body).toEqual(UNVERIFIED(twin));
    const explorer = await server.app.inject(
      `/api?module=contract&action=getsourcecode&address=${twin}`,
    );
    expect(explorer.json().result).toEqual([{ Address: twin }]);
  });

  test("is similar to nothing when a byte of its code differs, or it has none", async () => {
    const runtime = (await world.node.request<Hex>("eth_getCode", box, "latest")).slice(2);
    const changed: Hex = `0x${runtime.slice(0, 100)}${runtime[100] === "0" ? "1" : "0"}${runtime.slice(101)}`;
    const altered = addressAt(0x1234);
    await world.node.request("anvil_setCode", altered, changed);
    expect((await similar(altered)).body).toEqual({ results: [] });
    expect((await similar(addressAt(0x1235))).body).toEqual({ results: [] });
  });

  test("is the only one that is told so: a verified one is what it is", async () => {
    expect((await similar(box)).body).toEqual({ results: [] });
  });
});

test("metadata and sources verify, whatever the sources are called", async () => {
  const { status, body } = await post(`/v2/verify/metadata/${CHAIN}/${metadataBox}`, {
    metadata: JSON.parse(compiled.metadata),
    sources: { "renamed.sol": SOURCE },
  });
  expect(status).toBe(202);
  const { body: job } = await askJob(`/v2/verify/${body.verificationId}`);
  expect(job).toMatchObject({ isJobCompleted: true, contract: { match: "exact_match" } });
});

test("metadata with as large an ABI as contracts have is taken", async () => {
  const metadata = JSON.parse(compiled.metadata);
  const errors = Array.from({ length: 9000 }, (_, index) => ({
    inputs: [],
    name: `E${index}`,
    type: "error",
  }));
  const { status } = await post(`/v2/verify/metadata/${CHAIN}/${addressAt(1)}`, {
    metadata: { ...metadata, output: { ...metadata.output, abi: errors } },
    sources: { "Box.sol": SOURCE },
  });
  expect(status).toBe(202);
});

describe("a verification that fails", () => {
  let address: Address;
  beforeAll(async () => {
    address = await deployProgram(world.node, note("never verified", 5));
  });

  async function failureOf(target: Address, overrides: object) {
    const { status, body } = await post(`/v2/verify/${CHAIN}/${target}`, submission(overrides));
    expect(status).toBe(202);
    const path = `/v2/verify/${body.verificationId}`;
    const { status: jobStatus, body: job } = await askJob(path);
    expect(jobStatus).toBe(200);
    expect(job).toMatchObject({
      isJobCompleted: true,
      jobFinishTime: expect.stringMatching(TIME),
      contract: UNVERIFIED(target),
      error: { errorId: expect.stringMatching(UUID), message: expect.any(String) },
    });
    expect((await ask(path)).body.error).toEqual(job.error);
    return job.error.customCode;
  }

  test("tells why in Sourcify's codes", async () => {
    const broken = {
      sources: { "a.sol": { content: "contract {" } },
      language: "Solidity",
      settings,
    };
    expect(await failureOf(addressAt(0x77), {})).toBe("contract_not_deployed");
    expect(await failureOf(address, {})).toBe("no_match");
    expect(await failureOf(address, { contractIdentifier: `${PATH}:Nobody` })).toBe(
      "contract_not_found_in_compiler_output",
    );
    expect(await failureOf(address, { stdJsonInput: broken })).toBe("compiler_error");
    expect(await failureOf(address, { compilerVersion: "0.8.1+commit.00000000" })).toBe(
      "invalid_compiler_version",
    );
  });

  test("of a contract that was replaced since is told as no match", async () => {
    const { body } = await post(`/v2/verify/${CHAIN}/${metadataBox}`, submission());
    expect(body.customCode).toBe("already_verified");
    const replaced = await deployProgram(world.node, note("replaced", 6));
    const request = submission({
      stdJsonInput: {
        language: "Solidity",
        sources: { "Note.sol": { content: note("replaced", 6).source } },
        settings: { optimizer: { enabled: true, runs: 200 } },
      },
      contractIdentifier: "Note.sol:Note",
    });
    const { body: accepted } = await post(`/v2/verify/${CHAIN}/${replaced}`, request);
    await askJob(`/v2/verify/${accepted.verificationId}`);
    await world.sql`UPDATE verified_contracts SET code_hash = '\\x00' WHERE address = ${replaced}`;
    const { body: job } = await askJob(`/v2/verify/${accepted.verificationId}`);
    expect(job).toMatchObject({
      isJobCompleted: true,
      contract: UNVERIFIED(replaced),
      error: {
        customCode: "no_match",
        message: "The code at the address is no longer the one that was verified.",
      },
    });
  });
});

describe("what cannot be answered", () => {
  const verify = `/v2/verify/${CHAIN}/${addressAt(1)}`;
  const errors: [string, number, string, () => ReturnType<typeof ask>][] = [
    ["another chain", 400, "unsupported_chain", () => ask(`/v2/contract/1/${addressAt(1)}`)],
    ["no chain", 400, "invalid_parameter", () => ask(`/v2/contract/main/${addressAt(1)}`)],
    ["a long chain", 400, "invalid_parameter", () => ask(`/v2/contracts/${"1".repeat(21)}`)],
    ["no address", 400, "invalid_parameter", () => ask(`/v2/contract/${CHAIN}/0x12`)],
    ["no address of any chain", 400, "invalid_parameter", () => ask("/v2/contract/all-chains/x")],
    ["a job of nobody's", 404, "job_not_found", () => ask(`/v2/verify/${"0".repeat(56)}`)],
    ["a malformed job", 404, "job_not_found", () => ask("/v2/verify/not-a-job")],
    ["a long job", 404, "job_not_found", () => ask(`/v2/verify/${"z".repeat(512)}`)],
    ["the base", 404, "route_not_found", () => ask("")],
    ["the base with its slash", 404, "route_not_found", () => ask("/")],
    ["API v1", 404, "route_not_found", () => ask("/check-all-by-addresses?addresses=0x")],
    ["similarity", 404, "route_not_found", () => post(`/v2/verify/similarity/1/0x`, {})],
    ["a broken path", 404, "route_not_found", () => ask("/v2/contract/%zz/1")],
    ["another method", 405, "route_not_found", () => ask(verify)],
    ["another method", 405, "route_not_found", () => ask("/chains", { method: "DELETE" })],
    ["no body", 400, "invalid_parameter", () => ask(verify, { method: "POST" })],
    [
      "a form",
      400,
      "invalid_parameter",
      () =>
        ask(verify, {
          method: "POST",
          payload: "a=1",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
    ],
    ["broken JSON", 400, "invalid_json", () => post(verify, "{")],
    ["deep JSON", 400, "invalid_json", () => post(verify, `${"[".repeat(200)}${"]".repeat(200)}`)],
    ["a list", 400, "invalid_parameter", () => post(verify, [])],
    ["no input", 400, "invalid_parameter", () => post(verify, submission({ stdJsonInput: "{}" }))],
    [
      "another language",
      400,
      "unsupported_language",
      () =>
        post(
          verify,
          submission({ stdJsonInput: { language: "EVMAssembly", sources: {}, settings: {} } }),
        ),
    ],
    [
      "no sources",
      400,
      "invalid_parameter",
      () => post(verify, submission({ stdJsonInput: { language: "Solidity", settings: {} } })),
    ],
    [
      "urls",
      400,
      "invalid_parameter",
      () =>
        post(
          verify,
          submission({
            stdJsonInput: {
              language: "Solidity",
              settings: {},
              sources: { a: { urls: ["http://127.0.0.1/"] } },
            },
          }),
        ),
    ],
    [
      "no version",
      400,
      "invalid_parameter",
      () => post(verify, submission({ compilerVersion: "latest" })),
    ],
    [
      "no path",
      400,
      "invalid_parameter",
      () => post(verify, submission({ contractIdentifier: "Box" })),
    ],
    [
      "no hash",
      400,
      "invalid_parameter",
      () => post(verify, submission({ creationTransactionHash: "0x12" })),
    ],
    [
      "another chain to verify on",
      400,
      "unsupported_chain",
      () => post(`/v2/verify/1/${addressAt(1)}`, {}),
    ],
    [
      "no metadata",
      400,
      "invalid_parameter",
      () => post(`/v2/verify/metadata/${CHAIN}/${addressAt(1)}`, { sources: {} }),
    ],
    [
      "no target",
      400,
      "invalid_parameter",
      () =>
        post(`/v2/verify/metadata/${CHAIN}/${addressAt(1)}`, {
          sources: {},
          metadata: {
            compiler: { version: VERSION },
            language: "Solidity",
            settings: { compilationTarget: {} },
            sources: {},
          },
        }),
    ],
    [
      "a source of no text under a name that every object has",
      400,
      "invalid_parameter",
      () =>
        post(`/v2/verify/metadata/${CHAIN}/${addressAt(1)}`, {
          sources: { ["__proto__"]: 5 },
          metadata: {
            compiler: { version: VERSION },
            language: "Solidity",
            settings: { compilationTarget: { "Box.sol": "Box" } },
            sources: {},
          },
        }),
    ],
    ["too much", 413, "invalid_parameter", () => post(verify, `"${"x".repeat(20_000_001)}"`)],
  ];

  test.each(errors)("%s: %i %s", async (_name, status, customCode, request) => {
    const { status: got, headers, body } = await request();
    expect(body).toEqual({
      customCode,
      message: expect.stringMatching(/./),
      errorId: expect.stringMatching(UUID),
    });
    expect(got).toBe(status);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["access-control-allow-origin"]).toBe("*");
  });

  test("beyond the limit of submissions is 429", async () => {
    const address = await deployProgram(world.node, note("wanted by many", 7));
    const statuses: number[] = [];
    const idle = world.startVerifier({ concurrency: 0 });
    const other = await createTestApp({ sql: world.sql, chain: world.chain, verifier: idle });
    for (let count = 0; count < 11; count++) {
      const response = await other.app.inject({
        method: "POST",
        url: `/sourcify/v2/verify/${CHAIN}/${address}`,
        headers: { "content-type": "application/json" },
        payload: JSON.stringify(submission()),
      });
      statuses.push(response.statusCode);
      if (count < 10) continue;
      expect(response.json().customCode).toBe("too_many_requests");
      expect(response.headers["retry-after"]).toBe("600");
    }
    expect(statuses).toEqual([...Array(10).fill(202), 429]);
    await other.close();
    await idle.close();
  });
});

describe("around the answers", () => {
  test("the one chain is named, its node is not", async () => {
    const { body } = await ask("/chains");
    expect(body).toEqual([
      {
        name: "Chain 31337",
        title: "Chain 31337",
        chainId: 31_337,
        rpc: [],
        traceSupportedRPCs: [],
        supported: true,
        etherscanAPI: false,
      },
    ]);
  });

  test.each([
    ["/sourcify/verify-ui/jobs/abc", "/sourcify/v2/verify/abc"],
    ["/sourcify/verify-ui/jobs/abc/", "/sourcify/v2/verify/abc"],
    ["/sourcifyverify-ui/jobs/abc", "/sourcify/v2/verify/abc"],
    ["/sourcify//verify-ui/jobs/abc", "/sourcify//v2/verify/abc"],
    ["/sourcify/repo-ui/31337/0xab", "/31337/address/0xab#code"],
    ["/sourcify/repo-ui/31337/0xab/", "/31337/address/0xab#code"],
    ["/sourcify//repo-ui/31337/0xab", "/31337/address/0xab#code"],
    ["/31337/sourcify/repo-ui/31337/0xab", "/31337/address/0xab#code"],
    ["/31337/sourcify//repo-ui/31337/0xab", "/31337/address/0xab#code"],
    ["/31337/sourcify/verify-ui/jobs/abc", "/31337/sourcify/v2/verify/abc"],
    ["/31337/sourcifyverify-ui/jobs/abc", "/31337/sourcify/v2/verify/abc"],
  ])("%s leads to %s, also behind a prefix", async (from, to) => {
    const response = await server.app.inject({ url: from });
    expect(response.statusCode).toBe(302);
    const { pathname, search, hash } = new URL(
      String(response.headers["location"]),
      `http://proxy.example/prefix${from}`,
    );
    expect(pathname + search + hash).toBe(`/prefix${to}`);
  });

  test("HEAD is answered as GET, and a preflight as everywhere", async () => {
    const head = await server.app.inject({ method: "HEAD", url: "/sourcify/chains" });
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    const preflight = await server.app.inject({
      method: "OPTIONS",
      url: "/sourcify/v2/verify/1/0x",
      headers: { "access-control-request-method": "POST" },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers["access-control-allow-methods"]).toContain("POST");
  });

  test("requests are counted, and refused in this dialect's form", async () => {
    const limited = await createTestApp({ rateLimit: 1 });
    await limited.app.inject("/sourcify/chains");
    const refused = await limited.app.inject("/sourcify/chains");
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBeDefined();
    expect(refused.json()).toEqual({
      customCode: "too_many_requests",
      message: "Too many requests",
      errorId: expect.stringMatching(UUID),
    });
    await limited.close();
  });
});

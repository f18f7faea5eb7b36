import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveProxy } from "../../../../../src/store/contracts/proxies.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import {
  addressAt,
  blockHash,
  blockTime,
  publish,
  setSyncState,
  transactionHash,
} from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";
import { save } from "../../../../support/verified-contract.ts";

const HEAD = 5;
const LEDGER = addressAt(0x1ed);
const FLAT = addressAt(0xf1a);
const PROXY = addressAt(0x6e0);
const VYPER = addressAt(0x5ea);
const PLAIN = addressAt(0x91a);
const GONE = addressAt(0xdead);
const REBORN = addressAt(0xeb0);
const HOLLOW = addressAt(0x0);
const UNPUBLISHED = addressAt(0xfff);
const TOKEN = addressAt(0x70c);
const CALLER = addressAt(0xa11);
const LOGIC = addressAt(0x106);
const EMPTY_CODE_HASH = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
const VERIFIED_AT = 1_760_000_000;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  const { sql } = server;
  const creations = [VYPER, LEDGER, HOLLOW, GONE, FLAT, PROXY, PLAIN, REBORN];
  await publish(sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: [
      ...creations.map((createdContract, transactionIndex) => ({
        blockNumber: 1,
        transactionIndex,
        toAddress: null,
        createdContract,
      })),
      { blockNumber: 2, fromAddress: CALLER, toAddress: LEDGER, input: "0x2ddbd13a" },
      { blockNumber: 3, fromAddress: CALLER, toAddress: PROXY, input: "0xa9059cbb00" },
      { blockNumber: 4, fromAddress: CALLER, toAddress: PLAIN, input: "0x2ddbd13a" },
      { blockNumber: 4, transactionIndex: 1, toAddress: null, createdContract: REBORN },
      { blockNumber: HEAD + 1, toAddress: null, createdContract: UNPUBLISHED },
    ],
    contracts: [
      ...creations.map((address, transactionIndex) => ({
        blockNumber: 1,
        transactionIndex,
        address,
        ...(address === HOLLOW && { codeHash: EMPTY_CODE_HASH as `0x${string}` }),
      })),
      { blockNumber: 4, transactionIndex: 1, address: REBORN },
      { blockNumber: HEAD + 1, address: UNPUBLISHED },
    ],
    contractDestructions: [
      { blockNumber: 2, address: GONE },
      { blockNumber: 3, address: REBORN },
      { blockNumber: HEAD + 1, address: PLAIN },
    ],
    internalTransactions: [
      { toAddress: LEDGER, input: "0x2ddbd13a" as const },
      { toAddress: PROXY, input: "0xa9059cbb00" as const, callType: "delegatecall" },
      { toAddress: PLAIN, input: "0x2ddbd13a" as const },
      { toAddress: LEDGER, input: "0x2d" as const },
      { toAddress: LEDGER, input: null },
      { type: "create", callType: null, toAddress: null, input: "0x2ddbd13a" as const },
    ].map((frame, index) => ({ blockNumber: 4, position: index + 1, ...frame })),
    tokens: [{ address: TOKEN }],
    tokenTransfers: [2, 3, 4].map((blockNumber) => ({
      blockNumber,
      logIndex: 0,
      token: TOKEN,
      fromAddress: CALLER,
    })),
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
  const created = (transactionIndex: number) => ({
    blockNumber: 1,
    creationTransaction: transactionHash(1, transactionIndex),
  });
  await save(
    sql,
    {
      ...created(1),
      address: LEDGER,
      evmVersion: "cancun",
      constructorArguments: `0x${"2a".padStart(64, "0")}`,
      libraries: [{ name: "MathLib", address: addressAt(0x11b) }],
      license: 3,
      metadataUri: "ipfs://QmPearl",
    },
    [
      { path: "src/Ledger.sol", text: "contract Ledger {} // €" },
      { path: "src/b.sol", text: "b" },
      { path: "src/a.sol", text: "a" },
    ],
  );
  await save(
    sql,
    {
      ...created(4),
      address: FLAT,
      format: "flattened",
      optimizerEnabled: null,
      optimizerRuns: null,
      filePath: "Flat.sol",
      contractName: "Flat",
      settings: "{}",
      libraries: [
        { name: "One", address: addressAt(1) },
        { name: "Two", address: addressAt(2) },
      ],
      abi: "[]",
      license: 1,
    },
    [{ path: "Flat.sol", text: "contract Flat {}" }],
  );
  await save(sql, { ...created(5), address: PROXY, contractName: "Proxy", methods: {} });
  await save(
    sql,
    {
      ...created(0),
      address: VYPER,
      language: "Vyper",
      format: "vyper",
      compilerVersion: "v0.3.10+commit.91361694",
      optimizerEnabled: null,
      optimizerRuns: null,
      filePath: "Vault.vy",
      contractName: "Vault",
      settings: "{}",
    },
    [{ path: "Vault.vy", text: "total: public(uint256)" }],
  );
  await save(sql, {
    address: LOGIC,
    blockNumber: 2,
    blockHash: blockHash(2),
    methods: { a9059cbb: "transfer(address to, uint256 amount)" },
  });
  await saveProxy(sql, {
    address: PROXY,
    kind: "eip1967",
    implementations: [LOGIC, addressAt(0x107)],
    conflicts: [],
    beacon: null,
    blockNumber: 2,
    blockHash: blockHash(2),
  });
  for (const [index, address] of [LEDGER, FLAT, PROXY, VYPER, LOGIC].entries()) {
    await sql`
      UPDATE verified_contracts SET verified_at = to_timestamp(${VERIFIED_AT + index * 100})
      WHERE address = ${address}`;
  }
});
afterAll(() => server.close());

const REFUSED = { nothing: "", bad: "address=0x12", empty: "address=" };

recordedCases(() => server.app, "contract", {
  getabi: {
    verified: `address=${LEDGER}`,
    "empty ABI": `address=${FLAT}`,
    "not verified": `address=${PLAIN}`,
    "no contract": `address=${CALLER}`,
    ...REFUSED,
  },
  getsourcecode: {
    "several files": `address=${LEDGER}`,
    "one file": `address=${FLAT}`,
    proxy: `address=${PROXY}`,
    vyper: `address=${VYPER}`,
    "not verified": `address=${PLAIN}`,
    ...REFUSED,
  },
  listcontracts: {
    all: "",
    paged: "page=2&offset=3",
    verified: "filter=verified",
    "verified in a time": `filter=1&verified_at_start_timestamp=${VERIFIED_AT + 100}&verified_at_end_timestamp=${VERIFIED_AT + 300}`,
    unverified: "filter=02",
    empty: "filter=empty",
    "past the end": "page=9",
    "bad filter": "filter=Verified",
    "no filter": "filter=",
    "number of no filter": "filter=4",
  },
});

describe("listcontracts", () => {
  const listed = async (query: string) =>
    (await ask(server.app, `module=contract&action=listcontracts&${query}`)).result.map(
      ({ Address }: { Address: string }) => Address,
    );

  test("lists by the first creation, a contract that was created again once", async () => {
    expect(await listed("")).toEqual([VYPER, LEDGER, HOLLOW, GONE, FLAT, PROXY, PLAIN, REBORN]);
    expect(await listed("page=3&offset=3")).toEqual([PLAIN, REBORN]);
  });

  test("filters by what stands at the address now", async () => {
    expect(await listed("filter=verified")).toEqual([LEDGER, FLAT, PROXY, VYPER, LOGIC]);
    expect(await listed("filter=unverified")).toEqual([PLAIN, REBORN]);
    expect(await listed("filter=empty")).toEqual([HOLLOW, GONE]);
    expect(await listed("filter=3&page=2&offset=1")).toEqual([GONE]);
  });

  test("takes the times of verification for verified contracts only, the end excluded", async () => {
    const times = (from: number, to: number) =>
      `verified_at_start_timestamp=${VERIFIED_AT + from}&verified_at_end_timestamp=${VERIFIED_AT + to}`;
    expect(await listed(`filter=verified&${times(0, 100)}`)).toEqual([LEDGER]);
    expect(await listed(`filter=verified&${times(401, 999)}`)).toEqual([]);
    expect(await listed(`filter=unverified&${times(401, 999)}`)).toEqual([PLAIN, REBORN]);
  });

  test("takes the filter's number as JSON has it", async () => {
    const response = await server.app.inject({
      method: "POST",
      url: "/api",
      payload: { module: "contract", action: "listcontracts", filter: 3 },
    });
    expect(response.json().result).toHaveLength(2);
  });

  test.each<[unknown, string]>([
    [{ toString: 1 }, '{"toString":1}'],
    [`${"0".repeat(100)}1`, `${"0".repeat(100)}1`],
  ])("refuses the filter %j with its text", async (filter, text) => {
    const response = await server.app.inject({
      method: "POST",
      url: "/api",
      payload: { module: "contract", action: "listcontracts", filter },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json().message).toBe(
      `${text} is not a valid value for \`filter\`. Please use one of: verified, unverified, 1, 2.`,
    );
  });
});

test("listcontracts has contracts that no creation tells of where they were seen first", async () => {
  const before = await createTestApp();
  const EARLY = addressAt(1);
  const SEEN = addressAt(2);
  const DESTROYED = addressAt(3);
  const CREATED = addressAt(4);
  await publish(before.sql, {
    blocks: [0, 1, 2, 3].map((number) => ({ number })),
    transactions: [2, 3].map((blockNumber) => ({ blockNumber, toAddress: null })),
    contracts: [2, 3].map((blockNumber) => ({ blockNumber, address: CREATED })),
    contractDestructions: [{ blockNumber: 3, address: DESTROYED }],
    addresses: [
      { address: SEEN, firstBlock: 2, hasCode: true },
      { address: EARLY, firstBlock: 1, hasCode: true },
      { address: DESTROYED, firstBlock: 3, hasCode: true },
      { address: CREATED, firstBlock: 1, hasCode: true },
      { address: addressAt(5), firstBlock: 1, hasCode: false },
    ],
  });
  const listed = async (query: string) =>
    (await ask(before.app, `module=contract&action=listcontracts&${query}`)).result.map(
      ({ Address }: { Address: string }) => Address,
    );
  expect(await listed("")).toEqual([EARLY, SEEN, CREATED, DESTROYED]);
  expect(await listed("page=2&offset=2")).toEqual([CREATED, DESTROYED]);
  expect(await listed("filter=unverified")).toEqual([EARLY, SEEN, CREATED]);
  expect(await listed("filter=empty")).toEqual([DESTROYED]);
  await save(before.sql, { address: SEEN });
  expect(await listed("filter=unverified")).toEqual([EARLY, CREATED]);
  await setSyncState(before.sql, { traced: false });
  expect(await listed("")).toEqual([CREATED]);
  await before.close();
});

describe("names of called functions", () => {
  test("are those of the callee's ABI, or of what it delegates to", async () => {
    const query = `module=account&action=txlist&address=${CALLER}`;
    const { result } = await ask(server.app, query, "/v2/api");
    expect(result.map(({ functionName }: { functionName: string }) => functionName)).toEqual([
      "total()",
      "transfer(address to, uint256 amount)",
      "",
    ]);
  });

  test.each(["/api", "/v2/api"] as const)(
    "stand in internal transactions where they are asked for: %s",
    async (path) => {
      const query = `module=account&action=txlistinternal&txhash=${transactionHash(4)}&sort=asc&include_zero_value=true`;
      const { result } = await ask(server.app, `${query}&names=true`, path);
      expect(result.map(({ functionName }: { functionName: string }) => functionName)).toEqual([
        "total()",
        "transfer(address to, uint256 amount)",
        "",
        "",
        "",
        "",
      ]);
      const { result: plain } = await ask(server.app, query, path);
      expect(plain).toHaveLength(6);
      for (const row of plain) expect(row).not.toHaveProperty("functionName");
    },
  );

  test("stand in token transfers with their selector, which only Etherscan writes with 0x", async () => {
    const query = `module=account&action=tokentx&address=${CALLER}&sort=asc`;
    const names = ({ methodId, functionName }: Record<string, string>) => [methodId, functionName];
    const { result } = await ask(server.app, query);
    expect(result.map(names)).toEqual([
      ["2ddbd13a", "total()"],
      ["a9059cbb", "transfer(address to, uint256 amount)"],
      ["", ""],
    ]);
    const { result: etherscan } = await ask(server.app, query, "/v2/api");
    expect(etherscan.map(names)[1]).toEqual(["0xa9059cbb", "transfer(address to, uint256 amount)"]);
  });
});

import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Address } from "../../../../src/core/evm/address.ts";
import { type Hex, hexFromBytes } from "../../../../src/core/evm/hex.ts";
import { getCreationFacts } from "../../../../src/store/contracts/creations.ts";
import { getProxy, saveProxy } from "../../../../src/store/contracts/proxies.ts";
import { listMethodNames } from "../../../../src/store/contracts/verified/method-names.ts";
import {
  getUnindexedCode,
  listUnindexedCodes,
} from "../../../../src/store/contracts/verified/present-codes.ts";
import {
  getSimilarEvidence,
  listMasks,
  listSimilarCandidates,
} from "../../../../src/store/contracts/verified/similar.ts";
import {
  listVerifiedContracts,
  listVerifiedSummaries,
} from "../../../../src/store/contracts/verified/summaries.ts";
import {
  getVerifiedAbi,
  getVerifiedContract,
  isFullyVerified,
} from "../../../../src/store/contracts/verified/verified-contract.ts";
import { deleteChainRowsAbove } from "../../../../src/store/writer/chain.ts";
import { addressAt, blockHash, publish, transactionHash, wordAt } from "../../../support/build.ts";
import { plansOf, slowNodes } from "../../../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";
import { save } from "../../../support/verified-contract.ts";

let database: TestDatabase;
let nextAddress = 100;

beforeAll(async () => {
  database = await createTestDatabase();
  const blocks = Array.from({ length: 11 }, (_, number) => ({ number }));
  await publish(database.sql, { blocks });
});

afterAll(() => database.drop());

/** A contract created by the transaction of a block of its own. */
async function createdContract(number: number): Promise<Address> {
  const address = addressAt(nextAddress++);
  await publish(database.sql, {
    blocks: [{ number }],
    transactions: [
      { blockNumber: number, toAddress: null, createdContract: address, input: "0x6001" },
    ],
    contracts: [{ blockNumber: number, address }],
  });
  return address;
}

async function moveHead(number: number): Promise<void> {
  await database.sql`UPDATE sync_state SET head_number = ${number}`;
}

async function isVerified(address: Address): Promise<boolean> {
  return (await getVerifiedAbi(database.sql, address)) !== undefined;
}

async function rollBackTo(number: number): Promise<void> {
  await database.sql.begin((transaction) => deleteChainRowsAbove(transaction, number));
  await moveHead(number);
}

test("a verified contract shows while its creation is in the published blocks", async () => {
  const address = await createdContract(11);
  await save(database.sql, { address, creationTransaction: transactionHash(11) });
  expect(await isVerified(address)).toBe(true);
  await moveHead(10);
  expect(await isVerified(address)).toBe(false);
  await moveHead(11);
  expect(await isVerified(address)).toBe(true);
});

test("a reorganisation that removes the creation hides it, one that brings it back shows it", async () => {
  const address = await createdContract(12);
  await save(database.sql, { address, creationTransaction: transactionHash(12) });
  await rollBackTo(11);
  expect(await isVerified(address)).toBe(false);
  await publish(database.sql, {
    blocks: [{ number: 12, hash: wordAt(77) }, { number: 13 }],
    transactions: [
      { blockNumber: 13, hash: transactionHash(12), toAddress: null, createdContract: address },
    ],
    contracts: [{ blockNumber: 13, address }],
  });
  expect(await isVerified(address)).toBe(true);
});

test("another creation at the same address is not verified, equal code or not", async () => {
  const address = await createdContract(14);
  await save(database.sql, { address, creationTransaction: transactionHash(14) });
  await rollBackTo(13);
  expect(await createdAgain(address, 14, wordAt(1))).toBe(false);
  await rollBackTo(13);
  expect(await createdAgain(address, 14, wordAt(2))).toBe(false);
});

async function createdAgain(address: Address, number: number, codeHash: `0x${string}`) {
  await publish(database.sql, {
    blocks: [{ number, hash: wordAt(number) }],
    transactions: [{ blockNumber: number, hash: wordAt(78), createdContract: address }],
    contracts: [{ blockNumber: number, address, codeHash }],
  });
  return isVerified(address);
}

test("what a factory made in another block is verified if its init code is the same", async () => {
  const address = addressAt(nextAddress++);
  const creationTransaction = transactionHash(15);
  const make = (hash: Hex, input: Hex) =>
    publish(database.sql, {
      blocks: [{ number: 15, hash }],
      transactions: [{ blockNumber: 15, hash: creationTransaction }],
      internalTransactions: [
        { blockNumber: 15, position: 1, type: "create", createdContract: address, input },
      ],
      contracts: [{ blockNumber: 15, address, position: 1 }],
    });
  await make(blockHash(15), "0x6001");
  const inBlock = { blockNumber: 15, blockHash: blockHash(15), creationTransaction };
  const creationCodeHash = hexFromBytes(createHash("sha256").update("\x60\x01").digest());
  await save(database.sql, { address, ...inBlock, creationCodeHash });
  expect(await isVerified(address)).toBe(true);
  const verified: boolean[] = [];
  for (const input of ["0x6002", "0x6001"] as const) {
    await rollBackTo(14);
    await make(wordAt(15), input);
    verified.push(await isVerified(address));
  }
  expect(verified).toEqual([false, true]);
  await rollBackTo(14);
});

test.each([
  ["other code", { codeHash: wordAt(2), creationTransaction: transactionHash(99) }],
  ["the same code, better matched", { creationTransaction: transactionHash(99) }],
  ["code of a block that is gone", { codeHash: wordAt(2), blockNumber: 5, blockHash: wordAt(99) }],
])("a match of a replaced chain takes the place of none that holds: %s", async (_what, late) => {
  const address = addressAt(nextAddress++);
  const block = { blockNumber: 4, blockHash: blockHash(4) };
  await save(database.sql, { address, ...block, runtimeMatch: "partial", creationMatch: null });
  expect(await save(database.sql, { address, ...late })).toBe(false);
  expect(await getVerifiedContract(database.sql, address)).toMatchObject({
    codeHash: wordAt(1),
    runtimeMatch: "partial",
  });
});

test("a later creation at the same address with other code hides it", async () => {
  const address = await createdContract(15);
  await save(database.sql, { address, creationTransaction: transactionHash(15) });
  await publish(database.sql, {
    blocks: [{ number: 16 }],
    transactions: [{ blockNumber: 16, createdContract: address }],
    contracts: [{ blockNumber: 16, address, codeHash: wordAt(2) }],
  });
  expect(await isVerified(address)).toBe(false);
});

test("the same transaction that leaves other code hides it", async () => {
  const address = await createdContract(17);
  await save(database.sql, { address, creationTransaction: transactionHash(17) });
  await database.sql`UPDATE contracts SET code_hash = ${wordAt(2)} WHERE address = ${address}`;
  expect(await isVerified(address)).toBe(false);
});

test("a chain without traces knows no code hash: the creating transaction decides", async () => {
  const address = await createdContract(18);
  await database.sql`UPDATE contracts SET code_hash = NULL WHERE address = ${address}`;
  await save(database.sql, { address, creationTransaction: transactionHash(18) });
  expect(await isVerified(address)).toBe(true);
});

test("a contract of the genesis shows while the block it was read at is on the chain", async () => {
  const address = addressAt(nextAddress++);
  await save(database.sql, { address, blockNumber: 5, blockHash: blockHash(5) });
  expect(await isVerified(address)).toBe(true);
  await database.sql`UPDATE blocks SET hash = ${wordAt(9)} WHERE number = 5`;
  expect(await isVerified(address)).toBe(false);
  await database.sql`UPDATE blocks SET hash = ${blockHash(5)} WHERE number = 5`;
});

test("a contract of the genesis that is created anew is not verified", async () => {
  const address = await createdContract(19);
  await save(database.sql, { address, blockNumber: 5, blockHash: blockHash(5) });
  expect(await isVerified(address)).toBe(false);
  await save(database.sql, { address, blockNumber: 19, blockHash: blockHash(19) });
  expect(await isVerified(address)).toBe(true);
});

test("sources are kept by content, in their order, texts unchanged", async () => {
  const address = await createdContract(20);
  const sources = [
    { path: "src/Z.sol", text: "contract Z {}\r\n// 漢字 🎉 \u0000" },
    { path: "lib/A.sol", text: "library A {}" },
    { path: "lib/B.sol", text: "library A {}" },
  ];
  await save(database.sql, { address, creationTransaction: transactionHash(20) }, sources);
  const contract = await getVerifiedContract(database.sql, address);
  expect(contract?.sources).toEqual(sources);
  expect(contract).toMatchObject({ address, contractName: "Ledger", constructorArguments: "0x" });
  const [count] = await database.sql`
    SELECT count(*) FROM source_texts WHERE text = convert_to('library A {}', 'UTF8')`;
  expect(count).toEqual({ count: 1 });
});

test("a better match replaces a worse one, never the other way round", async () => {
  const address = await createdContract(21);
  const stored = (matches: object) =>
    save(database.sql, { address, creationTransaction: transactionHash(21), ...matches });
  expect(await stored({ runtimeMatch: "partial", creationMatch: null })).toBe(true);
  expect(await stored({ runtimeMatch: "partial", creationMatch: null })).toBe(false);
  expect(await stored({ runtimeMatch: "partial", creationMatch: "partial" })).toBe(true);
  expect(await isFullyVerified(database.sql, address)).toBe(false);
  expect(await stored({ runtimeMatch: "full", creationMatch: null })).toBe(true);
  expect(await isFullyVerified(database.sql, address)).toBe(true);
  expect(await stored({ runtimeMatch: "full", creationMatch: "full" })).toBe(false);
  expect(await stored({ runtimeMatch: "partial", creationMatch: "partial" })).toBe(false);
});

test("any match replaces what was proven of code that is gone", async () => {
  const address = await createdContract(22);
  await save(database.sql, { address, creationTransaction: wordAt(5), codeHash: wordAt(6) });
  const stored = await save(database.sql, {
    address,
    creationTransaction: transactionHash(22),
    runtimeMatch: "partial",
    creationMatch: null,
  });
  expect(stored).toBe(true);
  expect(await isVerified(address)).toBe(true);
});

test("lists come by time of verification, within bounds, and by address", async () => {
  const [first, second] = [await createdContract(23), await createdContract(24)];
  await save(database.sql, { address: second, creationTransaction: transactionHash(24) });
  await save(database.sql, { address: first, creationTransaction: transactionHash(23) });
  await database.sql`UPDATE verified_contracts SET verified_at = to_timestamp(2e9) WHERE address = ${second}`;
  await database.sql`UPDATE verified_contracts SET verified_at = to_timestamp(2e9 + 10) WHERE address = ${first}`;
  const list = async (from?: number, before?: number, skip = 0) => {
    const rows = await listVerifiedContracts(database.sql, { limit: 10, skip }, { from, before });
    return rows.map(({ address }) => address);
  };
  expect(await list(2e9)).toEqual([second, first]);
  expect(await list(2e9, undefined, 1)).toEqual([first]);
  expect(await list(2e9, 2e9 + 10)).toEqual([second]);
  const summaries = await listVerifiedSummaries(database.sql, [first, addressAt(1)]);
  expect(summaries).toEqual([
    {
      address: first,
      abi: expect.any(String),
      contractName: "Ledger",
      language: "Solidity",
      compilerVersion: "v0.8.28+commit.7893614a",
      optimizerEnabled: true,
      verifiedMicroseconds: 2e15 + 1e7,
    },
  ]);
});

test("methods are named by the callee's ABI, else by that of what it delegates to", async () => {
  const [proxy, logic] = [await createdContract(25), await createdContract(26)];
  await save(database.sql, {
    address: proxy,
    creationTransaction: transactionHash(25),
    methods: { "3659cfe6": "upgradeTo(address implementation)" },
  });
  await save(database.sql, {
    address: logic,
    creationTransaction: transactionHash(26),
    methods: { a9059cbb: "transfer(address to, uint256 amount)" },
  });
  const detected = { kind: "eip1967", implementations: [logic], conflicts: [], beacon: null };
  await saveProxy(database.sql, {
    address: proxy,
    ...detected,
    blockNumber: 26,
    blockHash: blockHash(26),
  });
  const names = await listMethodNames(database.sql, [
    { address: proxy, selector: "0xa9059cbb" },
    { address: proxy, selector: "0x3659cfe6" },
    { address: logic, selector: "0xa9059cbb" },
    { address: logic, selector: "0x3659cfe6" },
    { address: addressAt(3), selector: "0xa9059cbb" },
  ]);
  expect(names).toEqual([
    "transfer(address to, uint256 amount)",
    "upgradeTo(address implementation)",
    "transfer(address to, uint256 amount)",
    null,
    null,
  ]);
});

test("the facts of a creation are those of the newest one, by a transaction or a contract", async () => {
  const address = await createdContract(27);
  expect(await getCreationFacts(database.sql, address)).toMatchObject({
    blockNumber: 27,
    blockHash: blockHash(27),
    transactionHash: transactionHash(27),
    codeHash: wordAt(1),
    creationCode: "0x6001",
  });
  await publish(database.sql, {
    blocks: [{ number: 28 }],
    transactions: [{ blockNumber: 28 }],
    internalTransactions: [
      { blockNumber: 28, position: 2, type: "create", createdContract: address, input: "0x6002" },
    ],
    contracts: [{ blockNumber: 28, address, position: 2, codeHash: wordAt(2) }],
  });
  expect(await getCreationFacts(database.sql, address)).toMatchObject({
    transactionHash: transactionHash(28),
    codeHash: wordAt(2),
    creationCode: "0x6002",
    nonce: null,
  });
  // The input of the transaction is what the factory was called with.
  await database.sql`UPDATE internal_transactions SET input = NULL WHERE block_number = 28`;
  expect(await getCreationFacts(database.sql, address)).toMatchObject({ creationCode: null });
  expect(await getCreationFacts(database.sql, addressAt(3))).toBeUndefined();
});

test("any match replaces that of other code, where the index knows no creation of either", async () => {
  const address = addressAt(40);
  await publish(database.sql, { blocks: [{ number: 40 }] });
  const place = { blockNumber: 40, blockHash: blockHash(40), creationTransaction: null };
  const match = { runtimeMatch: "partial", creationMatch: null } as const;
  await save(database.sql, { address, ...place, codeHash: wordAt(6) });
  expect(await save(database.sql, { address, ...place, ...match, codeHash: wordAt(6) })).toBe(
    false,
  );
  expect(await save(database.sql, { address, ...place, ...match, codeHash: wordAt(7) })).toBe(true);
});

test("contracts of equal code outside the mask are candidates, however many others have its length", async () => {
  const others = Array.from({ length: 120 }, (_, index) => addressAt(500 + index));
  const code = { hash: wordAt(3), mask: "[[4,20]]" };
  for (const [index, address] of others.entries()) {
    const fingerprint = { length: 123, hash: wordAt(500 + index), mask: [[4, 20]] as const };
    await save(database.sql, { address, fingerprint });
  }
  const address = await createdContract(29);
  const fingerprint = { length: 123, hash: wordAt(3), mask: [[4, 20]] as const };
  await save(database.sql, { address, creationTransaction: transactionHash(29), fingerprint });
  expect(await listMasks(database.sql, 123, 10)).toEqual(["[[4,20]]"]);
  expect(await listMasks(database.sql, 124, 10)).toEqual([]);
  expect(await listSimilarCandidates(database.sql, 123, [code], 100)).toEqual([address]);
  expect(await listSimilarCandidates(database.sql, 124, [code], 100)).toEqual([]);
  const elsewhere = { ...code, mask: "[]" };
  expect(await listSimilarCandidates(database.sql, 123, [elsewhere], 100)).toEqual([]);
});

test("what is asked on behalf of a request is served by indexes", async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  const address = addressAt(1);
  await publish(sql, { blocks: [{ number: 0 }, { number: 1 }] });
  await save(sql, { address });
  // Once its size is known, a small table is read whole beside others, despite the planner's settings.
  await sql`
    INSERT INTO blocks
    SELECT n, sha256(int8send(n)), sha256(int8send(n - 1)), n, ${address}, 0, 1, 1, 1, 1, 1, 1, 1
    FROM generate_series(2, 50000) n`;
  await sql`VACUUM ANALYZE`;
  const plans = await plansOf(sql, async () => {
    await getVerifiedAbi(sql, address);
    await getVerifiedContract(sql, address);
    await isFullyVerified(sql, address);
    await getUnindexedCode(sql, address);
    await listUnindexedCodes(sql, address, 50);
    await getCreationFacts(sql, address);
    await getProxy(sql, address);
    await listVerifiedContracts(sql, { limit: 10, skip: 0 });
    await listVerifiedSummaries(sql, [address]);
    await listMethodNames(sql, [{ address, selector: "0xa9059cbb" }]);
    await listMasks(sql, 123, 10);
    await listSimilarCandidates(sql, 123, [{ hash: wordAt(3), mask: "[]" }], 10);
    await getSimilarEvidence(sql, address);
  });
  expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq Scan"))).toEqual([]);
  expect(plans).toHaveLength(14);
});

import { type Hex, parseGwei, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import type { Sql } from "../../src/db/client.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase } from "../support/postgres.ts";
import {
  type Deposit,
  OP_CHAIN_ID,
  type OpGeth,
  SEQUENCER_FEE_VAULT,
  startOpGeth,
} from "./op-geth.ts";

const COIN = 10n ** 18n;
/** Sends what it gets on to whom the data names. */
const FORWARDER_CODE: Hex = "0x60006000600060003460003560601c5af100";
/** Reverts. */
const REFUSER_CODE: Hex = "0x60006000fd";
/** Emits `Transfer(caller, caller, value)` as an ERC-20 token. */
const TOKEN_CODE: Hex =
  "0x345f5233337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa300";

const owner = privateKeyToAccount(generatePrivateKey());
const others = Array.from(
  { length: 4 },
  () => privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Address,
);
const [alice = "0x", bob = "0x", carol = "0x", dave = "0x"] = others;
let node: OpGeth;
let rpc: JsonRpc;
let nonce = 0;

beforeAll(async () => {
  node = await startOpGeth(owner.address.toLowerCase() as Address);
  rpc = createJsonRpc(node.url);
});
afterAll(() => node?.stop());

/** Init code that deploys a given runtime code. */
function creationOf(code: Hex): Hex {
  const length = ((code.length - 2) / 2).toString(16).padStart(2, "0");
  return `0x60${length}600c60003960${length}6000f3${code.slice(2)}`;
}

/** Sends a transaction of the owner's; gives its hash. */
async function send(to: Address | null, value = 0n, data: Hex = "0x"): Promise<Hex> {
  const raw = await owner.signTransaction({
    ...{ chainId: OP_CHAIN_ID, nonce: nonce++, type: "eip1559", to, value, data, gas: 500_000n },
    ...{ maxFeePerGas: parseGwei("5"), maxPriorityFeePerGas: parseGwei("1") },
  });
  return rpc.request<Hex>("eth_sendRawTransaction", raw);
}

async function createdBy(hash: Hex): Promise<Address> {
  const receipt = await rpc.request<{ contractAddress: Address }>(
    "eth_getTransactionReceipt",
    hash,
  );
  return receipt.contractAddress;
}

it.each([
  ["followed its head", 1_000_000],
  ["was there before", 0],
])("the index of a rollup with deposits that %s is what its node has", async (_, finalityDepth) => {
  const database = await createTestDatabase();
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    finalityDepth,
    proofs: true,
  });
  try {
    await act();
    const oracle = await createOracleReader(node.url).read();
    await indexer.reach(oracle.head.hash);
    const { proofs } = indexer.status();
    for (const part of ["header", "transactions", "receipts", "fields", "senders"] as const) {
      expect([part, proofs[part]]).toEqual([
        part,
        { proven: expect.any(Number), unproven: 0, off: null },
      ]);
      expect(proofs[part].proven).toBeGreaterThan(0);
    }
    // The tips go to a contract that has nothing else.
    const vault = await rpc.request<Hex>("eth_getBalance", SEQUENCER_FEE_VAULT, "latest");
    const rewards = oracle.blocks.reduce((sum, { reward }) => sum + reward, 0n);
    expect(rewards).toBe(BigInt(vault));
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    await expectPaid(database.sql);
  } finally {
    await indexer.stop();
    await database.drop();
  }
});

/** The owner's coins go down by value, gas, L1 fee and operator fee in each block with one transaction of the owner's. */
async function expectPaid(sql: Sql): Promise<void> {
  interface Paid {
    block: number;
    value: string;
    gas: string;
    gasUsed: string;
    l1Fee: string;
    operatorFeeScalar: Hex;
    operatorFeeConstant: Hex;
  }
  const rows = await sql<Paid[]>`
    SELECT block_number AS block, sum(value) AS value, sum(gas_used * gas_price) AS gas, sum(gas_used) AS gas_used,
      sum(l1_fee) AS l1_fee, max(extra #>> '{receipt,operatorFeeScalar}') AS operator_fee_scalar,
      max(extra #>> '{receipt,operatorFeeConstant}') AS operator_fee_constant
    FROM transactions WHERE from_address = ${owner.address.toLowerCase()} GROUP BY 1 HAVING count(*) = 1`;
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const { block, value, gas, gasUsed, l1Fee, operatorFeeScalar, operatorFeeConstant } = row;
    const balanceAt = async (number: number) =>
      BigInt(await rpc.request<Hex>("eth_getBalance", owner.address, toHex(number)));
    const paid = (await balanceAt(block - 1)) - (await balanceAt(block));
    expect(BigInt(l1Fee)).toBeGreaterThan(0n);
    // Isthmus: gas used by a scalar in millionths, and a constant.
    const operator =
      (BigInt(gasUsed) * BigInt(operatorFeeScalar)) / 1_000_000n + BigInt(operatorFeeConstant);
    expect(paid).toBe(BigInt(value) + BigInt(gas) + BigInt(l1Fee) + operator);
  }
}

async function act(): Promise<void> {
  const made = [FORWARDER_CODE, REFUSER_CODE, TOKEN_CODE].map((code) =>
    send(null, 0n, creationOf(code)),
  );
  const hashes = await Promise.all(made);
  await node.makeBlock();
  const [forwarder = "0x", refuser = "0x", token = "0x"] = await Promise.all(hashes.map(createdBy));
  await send(forwarder, 5n, alice);
  await send(refuser, 1n);
  await send(token, 9n);
  const deposits: Deposit[] = [
    { from: alice, to: bob, mint: COIN, value: COIN / 2n },
    { from: bob, to: forwarder, value: 7n, data: carol },
    // The mint stays, for any outcome of the rest.
    { from: carol, to: refuser, mint: 3n * COIN, value: COIN },
    { from: dave, to: alice, mint: 1n, value: 2n * COIN },
    { from: dave, to: token, mint: COIN, gas: 30_000n },
    { from: alice, to: null, value: 3n, data: creationOf(FORWARDER_CODE) },
    { from: alice, to: null, data: REFUSER_CODE },
    { from: alice, to: null, mint: 5n, value: 1n, gas: 60_000n, data: creationOf(TOKEN_CODE) },
    { from: carol, to: token, value: 4n },
  ];
  await node.makeBlock(deposits);
  await node.makeBlock();
  await send(bob, COIN);
  await node.makeBlock([{ from: bob, to: bob, mint: COIN }]);
}

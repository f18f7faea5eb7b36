import { type Hex, parseGwei } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
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

/** What deploys a runtime code as it is. */
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
  } finally {
    await indexer.stop();
    await database.drop();
  }
});

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
    // The mint stays, whatever becomes of the rest.
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

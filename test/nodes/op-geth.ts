import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { concat, type Hex, numberToHex, pad, toHex, toRlp, trim, zeroHash } from "viem";
import type { Address } from "../../src/core/evm/address.ts";
import { freePort } from "../../src/process/free-port.ts";
import { type Geth, startWith } from "./geth.ts";

/** The release that this suite was last seen to pass with. */
const VERSION = "v1.101702.3";
const HOW_TO_GET_IT =
  "this test needs op-geth, its path in OP_GETH: go mod download " +
  `github.com/ethereum-optimism/op-geth@${VERSION}, then go build ./cmd/geth in a copy of what was downloaded`;

export const OP_CHAIN_ID = 901;
const L1_BLOCK: Address = "0x4200000000000000000000000000000000000015";
/** Gets what transactions offer above the base fee. */
export const SEQUENCER_FEE_VAULT: Address = "0x4200000000000000000000000000000000000011";
const DEPOSITOR: Address = "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001";
const DEPOSIT_TYPE = "0x7e";
const GAS_LIMIT = 30_000_000;
/** Any scalar of a fee, in each place of a word that a fork may look at. */
const SCALARS: Hex = `0x${"000003e8".repeat(8)}`;

/** A transaction that the layer below orders (OP Stack specification, "Deposits"). */
export interface Deposit {
  from: Address;
  /** Null: it creates a contract. */
  to: Address | null;
  mint?: bigint;
  value?: bigint;
  gas?: bigint;
  data?: Hex;
}

/** An OP-stack rollup's node, whose blocks the test orders as op-node would. */
export interface OpGeth extends Geth {
  /** Makes a block of the L1 attributes, these deposits and what waits in the pool; gives its hash. */
  makeBlock(deposits?: readonly Deposit[]): Promise<Hex>;
}

/** Starts op-geth on a chain with all forks up to Isthmus, whose coins are the owner's. */
export async function startOpGeth(owner: Address): Promise<OpGeth> {
  const command = process.env["OP_GETH"];
  if (command === undefined) throw new Error(HOW_TO_GET_IT);
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-op-geth-"));
  const inFolder = (name: string) => path.join(folder, name);
  const secret = "11".repeat(32);
  await writeFile(inFolder("genesis.json"), JSON.stringify(genesis(owner)));
  await writeFile(inFolder("secret"), secret);
  const archive = ["--state.scheme", "hash"];
  await promisify(execFile)(command, [
    "init",
    "--datadir",
    folder,
    ...archive,
    inFolder("genesis.json"),
  ]);
  const port = await freePort();
  const flags = ["--authrpc.port", String(port), "--authrpc.jwtsecret", inFolder("secret")];
  const geth = await startWith(
    command,
    folder,
    [...flags, "--gcmode", "archive", ...archive, "--syncmode", "full", "--maxpeers", "0"],
    HOW_TO_GET_IT,
  );

  async function ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token(secret)}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: Result; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  let head: { hash: Hex; timestamp: number; number: number } | undefined;

  return {
    ...geth,
    async makeBlock(deposits = []) {
      if (!head) {
        const block = await ask<{ hash: Hex; timestamp: Hex }>(
          "eth_getBlockByNumber",
          "0x0",
          false,
        );
        head = { hash: block.hash, timestamp: Number(block.timestamp), number: 0 };
      }
      const { hash, timestamp, number } = head;
      const next = { timestamp: timestamp + 2, number: number + 1 };
      const chosen = { headBlockHash: hash, safeBlockHash: zeroHash, finalizedBlockHash: zeroHash };
      const { payloadId } = await ask<{ payloadId: Hex }>("engine_forkchoiceUpdatedV3", chosen, {
        timestamp: toHex(next.timestamp),
        prevRandao: zeroHash,
        suggestedFeeRecipient: SEQUENCER_FEE_VAULT,
        withdrawals: [],
        parentBeaconBlockRoot: zeroHash,
        transactions: [
          l1Attributes(next.number),
          ...deposits.map((each, index) => encode(each, index, next.number)),
        ],
        gasLimit: toHex(GAS_LIMIT),
        eip1559Params: "0x0000000000000000",
      });
      // Transactions in the pool are included while the node builds on.
      await sleep(200);
      const { executionPayload } = await ask<{ executionPayload: { blockHash: Hex } }>(
        "engine_getPayloadV4",
        payloadId,
      );
      const { status } = await ask<{ status: string }>(
        "engine_newPayloadV4",
        executionPayload,
        [],
        zeroHash,
        [],
      );
      if (status !== "VALID") throw new Error(`a block is ${status}`);
      head = { ...next, hash: executionPayload.blockHash };
      await ask("engine_forkchoiceUpdatedV3", { ...chosen, headBlockHash: head.hash }, null);
      return head.hash;
    },
  };
}

/** A JSON Web Token as the Engine API asks for (Engine API specification, "Authentication"). */
function token(secret: string): string {
  const encoded = [{ alg: "HS256", typ: "JWT" }, { iat: Math.floor(Date.now() / 1_000) }].map(
    (part) => Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signed = encoded.join(".");
  return `${signed}.${createHmac("sha256", Buffer.from(secret, "hex")).update(signed).digest("base64url")}`;
}

function genesis(owner: Address) {
  const blocks =
    "homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul muirGlacier berlin london arrowGlacier grayGlacier mergeNetsplit bedrock";
  const times = "regolith shanghai canyon cancun ecotone fjord granite holocene prague isthmus";
  return {
    config: {
      chainId: OP_CHAIN_ID,
      ...Object.fromEntries(blocks.split(" ").map((fork) => [`${fork}Block`, 0])),
      ...Object.fromEntries(times.split(" ").map((fork) => [`${fork}Time`, 0])),
      terminalTotalDifficulty: 0,
      optimism: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
    },
    difficulty: "0x0",
    gasLimit: toHex(GAS_LIMIT),
    baseFeePerGas: toHex(1_000_000_000),
    // EIP-1559's parameters, in the form of the Holocene fork.
    extraData: "0x00000000fa00000006",
    alloc: {
      [owner]: { balance: toHex(10n ** 24n) },
      [L1_BLOCK]: {
        balance: "0x0",
        code: "0x00",
        // Base fees of the layer below, and the scalars of what is paid for it and to the operator.
        storage: Object.fromEntries(
          [
            [1, toHex(10n ** 9n, { size: 32 })] as const,
            [7, toHex(1n, { size: 32 })] as const,
            [3, SCALARS] as const,
            [8, SCALARS] as const,
          ].map(([slot, value]) => [numberToHex(slot, { size: 32 }), value]),
        ),
      },
    },
  };
}

/** The transaction that begins each block (OP Stack specification, "L1 Attributes Deposited Transaction", Isthmus). */
function l1Attributes(number: number): Hex {
  const data = concat([
    "0x098999be",
    "0x000003e8000003e8",
    pad("0x", { size: 8 }),
    pad("0x", { size: 8 }),
    toHex(number, { size: 8 }),
    toHex(10n ** 9n, { size: 32 }),
    toHex(1n, { size: 32 }),
    zeroHash,
    zeroHash,
    "0x000003e8000003e8000003e8",
  ]);
  return encode({ from: DEPOSITOR, to: L1_BLOCK, gas: 1_000_000n, data }, -1, number);
}

function encode(
  { from, to, mint = 0n, value = 0n, gas = 1_000_000n, data = "0x" }: Deposit,
  index: number,
  block: number,
): Hex {
  const source = toHex(block * 1_000 + index + 1, { size: 32 });
  const number = (of: bigint): Hex => (of === 0n ? "0x" : trim(toHex(of)));
  const isSystem: Hex = "0x";
  return concat([
    DEPOSIT_TYPE,
    toRlp([source, from, to ?? "0x", number(mint), number(value), number(gas), isSystem, data]),
  ]);
}

import { getContractAddress } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import type { BlockReference } from "../../chain/questions.ts";
import {
  type AccountOverride,
  type BlockOverrides,
  type CreationTrial,
  isPassing,
} from "../../chain/state/creations.ts";
import { ChainError } from "../../core/errors.ts";
import { type Address, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, isHexData, wordOf } from "../../core/evm/hex.ts";
import { isQuantity, quantity, quantityToBigInt } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import type { CreationFacts } from "../../store/contracts/creations.ts";
import { ENVIRONMENT, type EnvironmentInstruction } from "../match/code/instructions.ts";

export type TrialChain = Pick<
  Chain,
  "runCreations" | "traceCreations" | "request" | "fetchHead" | "fetchCoinBalances"
>;

/** An environment to run constructors in place of the original one. */
export interface Setting {
  /** True on the state just before the creating transaction. */
  isSameState: boolean;
  /** True on the state of the head: the node has no older one. */
  isLater: boolean;
  /** Returns the result of each init code; null where it fails. */
  run(initCodes: readonly Hex[], gas?: bigint): Promise<(Hex | null)[]>;
}

/** Most gas of a transaction (EIP-7825). */
export const MOST_GAS = 2n ** 24n;

/**
 * Finds a setting in which each instruction that a constructor `asks` for has its original result.
 * Null when there is none. Throws `ChainError` when the node cannot run creations in this way.
 */
export async function findSetting(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
  asks: readonly EnvironmentInstruction[],
): Promise<Setting | null> {
  const past = await readPast(chain, address, creation);
  if (past === null) return null;
  for await (const ground of groundsOf(chain, creation, past)) {
    for (const gasPrice of [past.gasPrice, undefined]) {
      for (const shape of await shapesOf(chain, address, creation, past)) {
        const setting = await settingOf(ground, shape, past, gasPrice, creation.value);
        const isSame = await isFaithful(setting, shape, past, asks).catch(ifRefused);
        if (isSame) return setting;
      }
    }
  }
  return null;
}

/** Returns false for a node's refusal, as of a price below its block's; throws other errors. */
function ifRefused(error: unknown): false {
  if (!(error instanceof ChainError) || isPassing(error)) throw error;
  return false;
}

/** Environment of the creating transaction. */
interface Past {
  address: Address;
  origin: Address;
  nonce: bigint;
  gas: bigint;
  gasPrice: bigint;
  /** The fields of its block. */
  block: BlockOverrides;
  /** State that the block wrote before its transactions. */
  written: Record<Address, AccountOverride>;
  /** The results of instructions; undefined where the block has none. */
  results: Partial<Record<EnvironmentInstruction, bigint | undefined>>;
}

async function readPast(chain: TrialChain, address: Address, creation: CreationFacts) {
  const { blockHash, blockNumber, parentHash, transactionIndex, creator, value } = creation;
  const number = quantity(blockNumber);
  const [sent, header] = await Promise.all([
    chain.request("eth_getTransactionByBlockHashAndIndex", [blockHash, quantity(transactionIndex)]),
    chain.request("eth_getBlockByHash", [blockHash, false]),
  ]);
  if (!isRecord(sent) || !isRecord(header) || typeof sent["from"] !== "string") return null;
  const hasBlobs = isQuantity(header["excessBlobGas"]);
  const blobFee = hasBlobs ? await blobFeeOf(chain, number) : undefined;
  const [baseFee, difficulty] = [amount(header["baseFeePerGas"]), amount(header["difficulty"])];
  const gasPrice = amount(sent["gasPrice"]) ?? baseFee ?? 0n;
  const blobHashes = sent["blobVersionedHashes"];
  const block = {
    number,
    time: quantity(creation.timestampSeconds),
    gasLimit: header["gasLimit"],
    feeRecipient: header["miner"],
    prevRandao: header["mixHash"],
    baseFeePerGas: header["baseFeePerGas"],
    blobBaseFee: blobFee,
    // Only reth and anvil have it.
    blockHash: { [blockNumber - 1]: parentHash },
  };
  return {
    address,
    written: writtenAtStart(creation, header["parentBeaconBlockRoot"]),
    origin: lowerAddress(sent["from"]),
    nonce: amount(sent["nonce"]) ?? 0n,
    gas: amount(sent["gas"]) ?? 0n,
    gasPrice,
    block: Object.fromEntries(Object.entries(block).filter(([, field]) => field != null)),
    results: {
      ADDRESS: BigInt(address),
      ORIGIN: amount(sent["from"]),
      CALLER: BigInt(creator),
      CALLVALUE: value,
      GASPRICE: gasPrice,
      BLOCKHASH: BigInt(parentHash),
      COINBASE: amount(header["miner"]),
      TIMESTAMP: BigInt(creation.timestampSeconds),
      NUMBER: BigInt(blockNumber),
      PREVRANDAO: difficulty ? difficulty : amount(header["mixHash"]),
      GASLIMIT: amount(header["gasLimit"]),
      BASEFEE: baseFee,
      BLOBHASH: (Array.isArray(blobHashes) ? amount(blobHashes[0]) : undefined) ?? 0n,
      BLOBBASEFEE: amount(blobFee) ?? (hasBlobs ? UNKNOWN : undefined),
    },
  };
}

/** Entries of the ring buffers with the hashes of blocks and the roots of the beacon chain. */
const RING = 8191;

/** Returns the state that a block writes before its transactions. Source: EIP-2935, EIP-4788. */
function writtenAtStart(
  { blockNumber, parentHash, timestampSeconds }: CreationFacts,
  root: unknown,
): Past["written"] {
  const slot = (at: number) => wordOf(BigInt(at));
  const place = timestampSeconds % RING;
  return {
    "0x0000f90827f1c53a10cb7a02335b175320002935": {
      stateDiff: { [slot((blockNumber - 1) % RING)]: parentHash },
    },
    ...(isHexData(root) && {
      "0x000f3df6d732807ef1319fb7b8bb8522d0beac02": {
        stateDiff: { [slot(place)]: slot(timestampSeconds), [slot(place + RING)]: root },
      },
    }),
  };
}

/** A value that no instruction returns. */
const UNKNOWN = -1n;

function amount(value: unknown): bigint | undefined {
  return isQuantity(value) ? quantityToBigInt(value) : undefined;
}

/** Returns the price of blobs in a block: its header has it only by the rules of the fork. */
async function blobFeeOf(chain: TrialChain, number: Hex): Promise<unknown> {
  const history = await chain.request("eth_feeHistory", ["0x1", number, []]).catch(() => null);
  const fees = isRecord(history) ? history["baseFeePerBlobGas"] : null;
  return Array.isArray(fees) ? fees[0] : undefined;
}

/** A state on which a node runs creations. */
interface Ground extends Omit<Setting, "run"> {
  run(trials: readonly CreationTrial[]): Promise<(Hex | null)[]>;
  balanceOf(address: Address): Promise<bigint>;
}

/** Yields the states that the node has, the nearest to that of the creation first. */
async function* groundsOf(
  chain: TrialChain,
  creation: CreationFacts,
  past: Past,
): AsyncGenerator<Ground> {
  const { blockNumber, blockHash, parentHash, transactionIndex } = creation;
  const called = async (state: BlockReference, isLater: boolean): Promise<Ground> => {
    const fields = await fieldsTaken(chain, state, past);
    return {
      isSameState: !isLater && transactionIndex === 0,
      isLater,
      run: (trials) => chain.runCreations(trials, state, fields),
      balanceOf: async (account) => (await chain.fetchCoinBalances([account], state))[0] ?? 0n,
    };
  };
  let before: Ground;
  try {
    before = await called({ number: blockNumber - 1, hash: parentHash }, false);
  } catch (error) {
    ifNoState(error);
    return yield await called(await chain.fetchHead(), true);
  }
  const run = (trials: readonly CreationTrial[]) =>
    chain.traceCreations(trials, { number: blockNumber, hash: blockHash }, transactionIndex);
  if (await isBefore(run, past)) yield { ...before, run, isSameState: true };
  yield before;
}

/** Ignores the error that the node lacks the state; throws any other. */
function ifNoState(error: unknown): void {
  if (!(error instanceof ChainError) || error.code !== "state-unavailable") throw error;
}

/** Returns the block's fields that the node passes to trials. Throws `ChainError` if it runs no trial. */
async function fieldsTaken(chain: TrialChain, state: BlockReference, { block, origin }: Past) {
  const { blockHash: _, ...named } = block;
  const { number, time } = named;
  const trial = { from: origin, initCode: probeOf("ADDRESS"), value: 0n };
  let refusal: unknown;
  for (const fields of [block, named, { number, time }]) {
    try {
      await chain.runCreations([trial], state, fields);
      return fields;
    } catch (error) {
      const isOther = error instanceof ChainError && !isPassing(error);
      if (!isOther || error.code === "state-unavailable") throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Returns whether a node traces on the state before the transaction, by the address of the sender's next contract. */
async function isBefore(run: Ground["run"], { origin, nonce }: Past): Promise<boolean> {
  const trial = { from: origin, initCode: probeOf("ADDRESS"), value: 0n };
  const [seen] = (await run([trial]).catch(ifRefused)) || [];
  return seen != null && BigInt(seen) === BigInt(getContractAddress({ from: origin, nonce }));
}

/** The creator of a run, and how it arrives at the contract's address. */
interface Shape {
  from: Address;
  to?: Address;
  /** Returns the state of some addresses for this init code. */
  accounts(initCode: Hex): Record<Address, AccountOverride>;
  /** Instructions whose results differ from the original ones. */
  lies: readonly EnvironmentInstruction[];
}

const CODES = ["EXTCODESIZE", "EXTCODECOPY", "EXTCODEHASH"] as const;
/** Runs CREATE with the calldata and returns the code that it leaves. */
const CREATING: Hex = "0x36600060003736600034f08060145760006000fd5b803b8060006000843c6000f3";

async function shapesOf(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
  { origin }: Past,
): Promise<Shape[]> {
  const { creator, nonce } = creation;
  if (nonce !== null) {
    return [{ from: creator, accounts: () => ({ [creator]: { nonce } }), lies: [] }];
  }
  const found = await factoryNonce(chain, creator, address, creation);
  const factory = found === undefined ? {} : { nonce: found };
  const state = { blockHash: creation.parentHash };
  const code = await chain.request("eth_getCode", [creator, state]).catch(ifNoState);
  // One of the same transaction may have had none while its constructor ran.
  const isOlder = isHexData(code) && code !== "0x";
  return [
    {
      from: origin,
      to: creator,
      accounts: (initCode) =>
        found === undefined
          ? // The address of CREATE2 depends on the init code, so this one runs as a call.
            {
              [creator]: {
                code: `0x600060006000600034${`73${address.slice(2)}`}5af13d600060003e602d573d6000fd5b3d6000f3`,
              },
              [address]: { code: initCode, nonce: 1n },
            }
          : { [creator]: { code: CREATING, nonce: found } },
      lies: CODES,
    },
    {
      from: creator,
      accounts: () => ({ [creator]: factory }),
      lies: [
        "BALANCE",
        ...(found === undefined ? (["SELFBALANCE"] as const) : []),
        ...(isOlder ? [] : CODES),
      ],
    },
  ];
}

/** Most nonces of a factory that are tried. */
const MAX_CREATIONS = 200n;

/** Returns the nonce of the factory's CREATE that made the contract; undefined when none of those tried did. */
async function factoryNonce(
  chain: TrialChain,
  factory: Address,
  address: Address,
  { parentHash }: CreationFacts,
): Promise<bigint | undefined> {
  const past = [factory, { blockHash: parentHash }];
  const count = await chain.request("eth_getTransactionCount", past).catch(ifNoState);
  const first = amount(count) ?? 0n;
  for (let nonce = first; nonce < first + MAX_CREATIONS; nonce++) {
    if (lowerAddress(getContractAddress({ from: factory, nonce })) === address) return nonce;
  }
  return undefined;
}

async function settingOf(
  ground: Ground,
  shape: Shape,
  past: Past,
  gasPrice: bigint | undefined,
  value: bigint,
): Promise<Setting> {
  const { from, to } = shape;
  const held = await ground.balanceOf(from);
  const price = gasPrice ?? 0n;
  const trialOf = (initCode: Hex, gas: bigint): CreationTrial => {
    const accounts = shape.accounts(initCode);
    const isCode = accounts[past.address]?.code === initCode;
    // Adds the price of gas beyond the original's, so that the constructor sees its original balance.
    const left = held + (gas - past.gas) * price;
    const needed = value + gas * price;
    const balance = left > needed ? left : needed;
    return {
      from,
      ...(to && { to }),
      initCode: isCode ? "0x" : initCode,
      value,
      gas,
      ...(gasPrice !== undefined && { gasPrice }),
      stateOverride: {
        ...past.written,
        ...accounts,
        // Code and storage of the contract's other lives, and later coins, are no part of its creation.
        [past.address]: {
          ...(ground.isLater && { balance: 0n }),
          nonce: 0n,
          code: "0x",
          state: {},
          ...accounts[past.address],
        },
        [from]: { ...accounts[from], balance },
      },
    };
  };
  return {
    isSameState: ground.isSameState,
    isLater: ground.isLater,
    run: async (initCodes, gas = MOST_GAS) => {
      // Every node runs the first one; if a node refuses another, the rest still have results.
      const all = [probeOf("ADDRESS"), ...initCodes];
      return (await ground.run(all.map((initCode) => trialOf(initCode, gas)))).slice(1);
    },
  };
}

/** Returns init code that returns the result of an instruction. */
function probeOf(instruction: EnvironmentInstruction): Hex {
  const operand = { BLOCKHASH: "6001430340", BLOBHASH: "600049" }[instruction as string];
  const opcode = ENVIRONMENT[instruction].toString(16);
  return `0x${operand ?? opcode}60005260206000f3`;
}

async function isFaithful(
  setting: Setting,
  { lies }: Shape,
  { results }: Past,
  asks: readonly EnvironmentInstruction[],
): Promise<boolean> {
  if (asks.some((instruction) => lies.includes(instruction))) return false;
  const seen = asks.filter((instruction) => results[instruction] !== undefined);
  const [runs, ...codes] = await setting.run([probeOf("ADDRESS"), ...seen.map(probeOf)]);
  // An instruction that fails, such as those of later forks, also fails in the constructor.
  const isSame = (code: Hex | null | undefined, at: number) =>
    code == null || BigInt(code) === results[seen[at] as EnvironmentInstruction];
  return runs != null && codes.every(isSame);
}

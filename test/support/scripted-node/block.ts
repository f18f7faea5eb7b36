import { createHash } from "node:crypto";
import { keccak256, stringToHex } from "viem";
import type { RawBlock, RawHeader, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { type Address, ZERO_ADDRESS } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat, hexSlice } from "../../../src/core/evm/hex.ts";
import { quantity, quantityToNumber } from "../../../src/core/evm/quantity.ts";
import { bloomOf, joinBlooms } from "./bloom.ts";
import { Ledger } from "./ledger.ts";
import type { BlockSpecification, TransactionSpecification } from "./specification.ts";
import { type CallTracerFrame, callTracerFrame } from "./traces.ts";

/** A block of the scripted chain with everything that a node can be asked about it. */
export interface ScriptedBlock {
  /** As it comes over the wire, with whole transactions. */
  readonly block: RawBlock;
  readonly receipts: readonly RawReceipt[];
  /** One per transaction. */
  readonly uncles: readonly RawHeader[];
  readonly frames: readonly CallTracerFrame[];
  /** The state behind the block. */
  readonly ledger: Ledger;
  readonly parent: ScriptedBlock | undefined;
}

const GENESIS_SECONDS = 1_700_000_000;
const BLOCK_SECONDS = 12;
const GAS_PRICE_WEI = 2_000_000_000n;
const GAS_OF_TRANSACTION = 21_000;
const GAS_OF_LOG = 1_000;

/** Builds the block of a specification on its parent; deterministic, so that equal histories have equal hashes. */
export function buildBlock(
  specification: BlockSpecification,
  parent: ScriptedBlock | undefined,
  chainId: number,
): ScriptedBlock {
  const { leavesOut = 0 } = specification;
  const number = parent ? quantityToNumber(parent.block.number) + 1 + leavesOut : 0;
  const parentSeconds = parent
    ? quantityToNumber(parent.block.timestamp)
    : GENESIS_SECONDS - BLOCK_SECONDS;
  const timestamp = quantity(specification.timestampSeconds ?? parentSeconds + BLOCK_SECONDS);
  const parentHash = parent?.block.hash ?? `0x${"0".repeat(64)}`;
  const miner = specification.miner ?? scriptedAddress("miner");
  const hash = hashOf(["block", chainId, number, parentHash, timestamp, specification]);
  const ledger = new Ledger(parent?.ledger);

  const drafts = (specification.transactions ?? []).map((transaction, index) =>
    buildTransaction(transaction, { number, hash, index, chainId, miner, ledger }),
  );
  const withdrawals = specification.withdrawals?.map(({ address, amountGwei }, index) => {
    ledger.addCoins(address, BigInt(amountGwei) * 1_000_000_000n);
    return {
      index: quantity(index),
      validatorIndex: "0x1" as Hex,
      address,
      amount: quantity(amountGwei),
    };
  });
  if (specification.state) ledger.apply(specification.state);

  const uncles = (specification.uncles ?? []).map(({ miner: loser, distance }, position) => ({
    ...headerOfUncle(number - distance, position),
    miner: loser,
  }));
  const receipts = closeReceipts(drafts.map(({ receipt }) => receipt));
  const gasUsed = receipts.at(-1)?.cumulativeGasUsed ?? "0x0";
  const { baseFeeWei = 1_000_000_000n } = specification;
  const block = {
    number: quantity(number),
    hash,
    parentHash,
    timestamp,
    miner,
    difficulty: "0x0",
    size: quantity(600 + 200 * drafts.length),
    gasLimit: "0x1c9c380",
    gasUsed,
    ...(baseFeeWei === null ? {} : { baseFeePerGas: quantity(baseFeeWei) }),
    logsBloom: joinBlooms(receipts.map(({ logsBloom }) => logsBloom)),
    transactions: drafts.map(({ transaction }) => transaction),
    uncles: uncles.map((uncle) => uncle.hash),
    ...(withdrawals ? { withdrawals } : {}),
    ...specification.fields,
  } satisfies RawBlock;
  return { block, receipts, uncles, frames: drafts.map(({ frame }) => frame), ledger, parent };
}

function headerOfUncle(number: number, position: number): Omit<RawHeader, "miner"> {
  return {
    number: quantity(number),
    hash: hashOf(["uncle", number, position]),
    parentHash: hashOf(["parent of an uncle", number]),
    timestamp: quantity(GENESIS_SECONDS + BLOCK_SECONDS * number + 1 + position),
    difficulty: "0x20000",
    gasLimit: "0x1c9c380",
    gasUsed: "0x0",
    logsBloom: bloomOf([]),
    stateRoot: hashOf(["state of an uncle", number]),
    transactionsRoot: hashOf(["transactions of an uncle", number]),
    receiptsRoot: hashOf(["receipts of an uncle", number]),
    sha3Uncles: hashOf(["uncles of an uncle", number]),
    extraData: "0x12",
    mixHash: hashOf(["mix of an uncle", number]),
    nonce: "0x0000000000000001",
  };
}

interface Place {
  number: number;
  hash: Hex;
  index: number;
  chainId: number;
  miner: Address;
  ledger: Ledger;
}

interface Draft {
  transaction: RawTransaction;
  receipt: RawReceipt;
  frame: CallTracerFrame;
}

function buildTransaction(specification: TransactionSpecification, place: Place): Draft {
  const { ledger } = place;
  const {
    from = scriptedAddress("sender"),
    to = scriptedAddress("receiver"),
    valueWei = 0n,
    input = "0x",
    type = 2,
    error,
    effectiveGasPriceWei = GAS_PRICE_WEI,
  } = specification;
  const succeeded = error === undefined;
  const nonce = ledger.useNonce(from);
  const hash = hashOf(["transaction", place.hash, place.index, nonce, specification]);
  const created =
    to === null ? (specification.contractAddress ?? scriptedAddress(`${from} ${nonce}`)) : null;
  const logs = succeeded ? (specification.logs ?? []) : [];
  const gasUsed = specification.gasUsed ?? GAS_OF_TRANSACTION + GAS_OF_LOG * logs.length;
  const where = {
    transactionHash: hash,
    transactionIndex: quantity(place.index),
    blockHash: place.hash,
    blockNumber: quantity(place.number),
  };

  const fee = BigInt(gasUsed) * effectiveGasPriceWei;
  ledger.addCoins(from, -fee);
  ledger.addCoins(place.miner, fee);
  if (succeeded) {
    ledger.applyCalls([{ from, to: to ?? created ?? ZERO_ADDRESS, valueWei }]);
    ledger.applyCalls(specification.calls ?? []);
    if (created && specification.output)
      ledger.apply({ code: { [created]: specification.output } });
    for (const { address, topics = [], data = "0x" } of logs) {
      ledger.applyLog({ address, topics: [...topics], data });
    }
  }

  const transaction: RawTransaction = {
    hash,
    type: quantity(type),
    blockHash: place.hash,
    blockNumber: where.blockNumber,
    transactionIndex: where.transactionIndex,
    from,
    to,
    nonce: quantity(nonce),
    value: quantity(valueWei),
    gas: quantity(gasUsed + 10_000),
    gasPrice: quantity(effectiveGasPriceWei),
    input,
    chainId: quantity(place.chainId),
    v: "0x1",
    r: "0x1",
    s: "0x1",
    ...fieldsOfType(type, effectiveGasPriceWei),
    ...specification.fields,
  };
  const receipt: RawReceipt = {
    ...where,
    from,
    to,
    contractAddress: created,
    // Completed once the receipts before it are known.
    cumulativeGasUsed: "0x0",
    gasUsed: quantity(gasUsed),
    effectiveGasPrice: quantity(effectiveGasPriceWei),
    status: succeeded ? "0x1" : "0x0",
    logs: logs.map(({ address, topics = [], data = "0x" }) => ({
      ...where,
      address,
      topics: [...topics],
      data,
      logIndex: "0x0",
      removed: false,
    })),
    logsBloom: bloomOf(logs.map(({ address, topics = [] }) => ({ address, topics }))),
    ...specification.receiptFields,
  };
  const traceError = specification.silentTrace ? undefined : error;
  const frame = callTracerFrame({
    type: to === null ? "CREATE" : "CALL",
    from,
    ...(to === null && traceError !== undefined ? {} : { to: to ?? created ?? ZERO_ADDRESS }),
    valueWei,
    input,
    ...(specification.output === undefined ? {} : { output: specification.output }),
    ...(traceError === undefined ? {} : { error: traceError }),
    ...(specification.calls === undefined ? {} : { calls: specification.calls }),
  });
  return { transaction, receipt, frame: { ...frame, gasUsed: quantity(gasUsed) } };
}

/** Adds what depends on the receipts before: cumulative gas and log indexes. */
function closeReceipts(receipts: readonly RawReceipt[]): RawReceipt[] {
  let cumulative = 0;
  let logIndex = 0;
  return receipts.map((receipt) => {
    cumulative += quantityToNumber(receipt.gasUsed);
    const logs = receipt.logs.map((log) => ({ ...log, logIndex: quantity(logIndex++) }));
    return { ...receipt, cumulativeGasUsed: quantity(cumulative), logs };
  });
}

/** The fields that only transactions of that type have: EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
function fieldsOfType(type: number, priceWei: bigint): Partial<RawTransaction> {
  const fees = { maxFeePerGas: quantity(priceWei * 2n), maxPriorityFeePerGas: quantity(priceWei) };
  const list = { accessList: [], yParity: "0x1" as Hex };
  switch (type) {
    case 1:
      return list;
    case 2:
      return { ...list, ...fees };
    case 3:
      return {
        ...list,
        ...fees,
        maxFeePerBlobGas: "0x1",
        blobVersionedHashes: [hexConcat("0x01", hexSlice(hashOf(["blob"]), 1))],
      };
    case 4:
      return { ...list, ...fees, authorizationList: [] };
    default:
      return {};
  }
}

/** An address that belongs to a name, the same in every run. */
export function scriptedAddress(name: string): Address {
  return hexSlice(hashOf(["address", name]), 12);
}

/** Above this length a text is digested by native code first: else a block of megabytes costs its node more than its reader. */
const LONG_TEXT = 100_000;

function hashOf(parts: unknown): Hex {
  const text = JSON.stringify(parts, (_, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  const short = text.length > LONG_TEXT ? createHash("sha256").update(text).digest("hex") : text;
  return keccak256(stringToHex(short));
}

import { coveredByRoots } from "../../chain/forms/system-transactions.ts";
import type { FetchedBlock, RawBlock, RawReceipt, RawTransaction } from "../../chain/types.ts";
import { getContractAddress, keccak256 } from "../../core/deep-imports.ts";
import { messageOf } from "../../core/errors.ts";
import { lowerAddress } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { quantityToBigInt, quantityToNumber } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import { bytes, integer, rlp, rlpHash, UnprovableError } from "./encoding.ts";
import { encodeHeader, unknownFields } from "./header.ts";
import { orderedTrieRoot } from "./ordered-trie.ts";
import { encodeTransaction, isDeposit, recoverSender, withType } from "./transactions.ts";

/** Provable parts: the header's hash, the roots in it, fields derived from covered ones, and senders' signatures. */
export const PARTS = [
  "header",
  "uncles",
  "transactions",
  "receipts",
  "withdrawals",
  "fields",
  "senders",
] as const;
export type Part = (typeof PARTS)[number];

/** `nothing`: the block has no such part. `unprovable`: the encoding is unknown. */
export type Verdict =
  | { outcome: "proven" }
  | { outcome: "nothing" }
  | { outcome: "failed"; reason: string }
  | { outcome: "unprovable"; reason: string };

/** Signatures to check per block, chosen at random: each costs more than a millisecond. */
const SENDERS = 16;
/** The newest common type; higher ones differ between chains. */
const LAST_TYPE = 4;
const DYNAMIC_FEE_TYPES: ReadonlySet<number> = new Set([2, 3, 4]);

type Proof = (fetched: FetchedBlock) => "proven" | "nothing" | Promise<"proven" | "nothing">;

class ProofFailedError extends Error {}

/** Proves a part of a validated block (`validateBlock`). Never throws. */
export async function prove(part: Part, fetched: FetchedBlock): Promise<Verdict> {
  try {
    return { outcome: await PROOFS[part](coveredByRoots(fetched)) };
  } catch (error) {
    const outcome = error instanceof UnprovableError ? "unprovable" : "failed";
    return { outcome, reason: messageOf(error) };
  }
}

const PROOFS: Readonly<Record<Part, Proof>> = {
  header({ block }) {
    if (rlpHash(encodeHeader(block)) === block.hash) return "proven";
    if (!isNothing(block.blockAccessListHash) && isNothing(block.slotNumber)) {
      throw new UnprovableError(
        "the node leaves out slotNumber, which the hash covers: name one that gives it in RPC_URL, or set PROOFS=off",
      );
    }
    const unknown = unknownFields(block);
    if (unknown.length === 0) throw new ProofFailedError("the header has another hash");
    throw new UnprovableError(`the header has fields that are not known: ${unknown.join(", ")}`);
  },

  uncles({ block, uncles = [] }) {
    const expected = bytes(block.sha3Uncles, "sha3Uncles");
    requireThat(rlpHash(uncles.map(encodeHeader)) === expected, "the uncles have another hash");
    return uncles.length > 0 ? "proven" : "nothing";
  },

  transactions({ block }) {
    const encoded = block.transactions.map((transaction, index) => {
      const bytesOfOne = encodeTransaction(transaction);
      requireThat(
        keccak256(bytesOfOne) === transaction.hash,
        `transaction ${index} has another hash`,
      );
      return bytesOfOne;
    });
    return requireRoot(encoded, block.transactionsRoot, "transactions");
  },

  receipts({ block, receipts }) {
    const encoded = receipts.map((receipt, index) =>
      encodeReceipt(block.transactions[index] as RawTransaction, receipt),
    );
    const outcome = requireRoot(encoded, block.receiptsRoot, "receipts");
    let before = 0n;
    for (const [index, { cumulativeGasUsed, gasUsed }] of receipts.entries()) {
      const after = quantityToBigInt(cumulativeGasUsed);
      requireThat(
        quantityToBigInt(gasUsed) === after - before,
        `transaction ${index} used ${after - before} gas, and its receipt says ${gasUsed}`,
      );
      before = after;
    }
    return outcome;
  },

  withdrawals({ block }) {
    const { withdrawals, withdrawalsRoot } = block;
    if (isNothing(withdrawalsRoot)) {
      requireThat((withdrawals ?? []).length === 0, "the header has no root of the withdrawals");
      return "nothing";
    }
    const encoded = (withdrawals ?? []).map(({ index, validatorIndex, address, amount }) =>
      rlp([
        integer(index, "index"),
        integer(validatorIndex, "validatorIndex"),
        bytes(address, "address"),
        integer(amount, "amount"),
      ]),
    );
    return requireRoot(encoded, withdrawalsRoot, "withdrawals");
  },

  fields({ block, receipts }) {
    const baseFee = quantityToBigInt(block.baseFeePerGas ?? "0x0");
    let isProof = false;
    for (const [index, receipt] of receipts.entries()) {
      const transaction = block.transactions[index] as RawTransaction;
      const { effectiveGasPrice } = receipt;
      const price = computePrice(transaction, block);
      requireOfKnown(
        transaction,
        isNothing(effectiveGasPrice) || quantityToBigInt(effectiveGasPrice) === price,
        `transaction ${index} pays ${price} wei, and its receipt says ${effectiveGasPrice}`,
      );
      requireOfKnown(
        transaction,
        transaction.to !== null || receipt.contractAddress === createdBy(transaction),
        `transaction ${index} does not create ${receipt.contractAddress}`,
      );
      // A price equal to the base fee also occurs on chains without tips (ZKsync's bootloader, `getGasPrice`).
      isProof ||= readType(transaction) <= LAST_TYPE && price !== baseFee;
    }
    return isProof ? "proven" : "nothing";
  },

  async senders({ block: { transactions } }) {
    let unsigned: number | undefined;
    // The hash of the others covers their senders.
    const signed = [...transactions.keys()].filter(
      (index) => !isDeposit(transactions[index] as RawTransaction),
    );
    for (const index of pickSome(signed)) {
      const transaction = transactions[index] as RawTransaction;
      // No key signed system transactions: their r is 0 (Sonic's `IsInternal`) or 1 (Moonbeam's `rs_id`).
      if (quantityToBigInt(bytes(transaction.r, "r")) <= 1n) {
        unsigned ??= index;
        continue;
      }
      const sender = await recoverSender(transaction);
      requireThat(
        sender === transaction.from,
        `${transaction.from} did not sign transaction ${index}`,
      );
    }
    if (unsigned !== undefined) throw new UnprovableError(`transaction ${unsigned} is not signed`);
    return signed.length > 0 ? "proven" : "nothing";
  },
};

function encodeReceipt(transaction: RawTransaction, receipt: RawReceipt): Hex {
  const type = readType(transaction);
  const ofDeposit = isDeposit(transaction);
  if (type > LAST_TYPE && !ofDeposit) {
    throw new UnprovableError(`receipts of type ${type} are not known`);
  }
  const { status, root, cumulativeGasUsed, logsBloom, logs } = receipt;
  const { depositNonce, depositReceiptVersion } = receipt;
  return withType(
    type,
    rlp([
      isNothing(status) ? bytes(root, "status or root") : integer(status, "status"),
      integer(cumulativeGasUsed, "cumulativeGasUsed"),
      logsBloom,
      logs.map(({ address, topics, data }) => [address, topics, data]),
      // Since the Canyon fork (OP Stack specification, "Deposits", Receipts).
      ...(ofDeposit && !isNothing(depositReceiptVersion)
        ? [integer(depositNonce, "depositNonce"), integer(depositReceiptVersion, "version")]
        : []),
    ]),
  );
}

/** Returns the price of a unit of gas (EIP-1559). */
function computePrice(transaction: RawTransaction, { baseFeePerGas }: RawBlock): bigint {
  if (!DYNAMIC_FEE_TYPES.has(readType(transaction))) {
    return quantityToBigInt(bytes(transaction.gasPrice, "gasPrice"));
  }
  const maximum = quantityToBigInt(bytes(transaction.maxFeePerGas, "maxFeePerGas"));
  const priority = quantityToBigInt(
    bytes(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas"),
  );
  const baseFee = quantityToBigInt(baseFeePerGas ?? "0x0");
  const wanted = baseFee + priority;
  if (wanted > maximum) return maximum;
  return wanted;
}

function createdBy({ from, nonce }: RawTransaction): Hex {
  return lowerAddress(getContractAddress({ from, nonce: quantityToBigInt(nonce) }));
}

function requireRoot(
  encoded: readonly Hex[],
  root: Hex | undefined,
  name: string,
): "proven" | "nothing" {
  const expected = bytes(root, `root of the ${name}`);
  requireThat(orderedTrieRoot(encoded) === expected, `the ${name} have another root`);
  return encoded.length > 0 ? "proven" : "nothing";
}

/** Returns up to `SENDERS` different numbers of the list. */
function pickSome(numbers: readonly number[]): Iterable<number> {
  if (numbers.length <= SENDERS) return numbers;
  const chosen = new Set<number>();
  while (chosen.size < SENDERS) {
    chosen.add(numbers[Math.floor(Math.random() * numbers.length)] as number);
  }
  return chosen;
}

/** Checks a rule that transactions of unknown types may break. */
function requireOfKnown(transaction: RawTransaction, holds: boolean, reason: string): void {
  const isKnown = readType(transaction) <= LAST_TYPE;
  if (!holds) throw new (isKnown ? ProofFailedError : UnprovableError)(reason);
}

function readType({ type }: RawTransaction): number {
  return quantityToNumber(type ?? "0x0");
}

function requireThat(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ProofFailedError(reason);
}

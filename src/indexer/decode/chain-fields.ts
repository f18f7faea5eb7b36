import type { RawReceipt, RawTransaction } from "../../chain/types.ts";
import { isAddress } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { isQuantity } from "../../core/evm/quantity.ts";
import { isUint256 } from "../../core/evm/uint256.ts";
import { isNothing } from "../../core/json/record.ts";

type Fields = Record<string, unknown>;

const DECIMAL = /^\d{1,78}(?:\.\d{1,78})?$/;
const isDecimal = (value: unknown) => typeof value === "string" && DECIMAL.test(value);

/** Fields of receipts beyond Ethereum's, each with its validation; an invalid value counts as absent. */
const RECEIPT_FIELDS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  // OP stack.
  ["l1GasUsed", isAmount],
  ["l1GasPrice", isAmount],
  ["l1FeeScalar", isDecimal],
  ["l1BaseFeeScalar", isAmount],
  ["l1BlobBaseFee", isAmount],
  ["l1BlobBaseFeeScalar", isAmount],
  ["operatorFeeScalar", isAmount],
  ["operatorFeeConstant", isAmount],
  ["daFootprintGasScalar", isAmount],
  ["depositNonce", isAmount],
  ["depositReceiptVersion", isAmount],
  // Mantle.
  ["tokenRatio", isAmount],
  // Arbitrum.
  ["gasUsedForL1", isAmount],
  ["l1BlockNumber", isAmount],
  // ZKsync.
  ["l1BatchNumber", isAmount],
  ["l1BatchTxIndex", isAmount],
  // Tempo.
  ["feeToken", isAddress],
  ["feePayer", isAddress],
];

/** Fields of transactions beyond Ethereum's: deposits of the OP stack, batches of calls, and fees in another currency (Celo, Tempo). */
const TRANSACTION_FIELDS = [
  ...["sourceHash", "mint", "isSystemTx"],
  ...["calls", "feeToken", "feePayer", "feeCurrency"],
].map((name) => [name, () => true] as const);

/** Returns the chain-specific fields of a receipt, with the node's texts; undefined when it has none. */
export function fieldsOfReceipt(receipt: RawReceipt) {
  return pick(receipt, RECEIPT_FIELDS);
}

/** Returns the chain-specific fields of a transaction; undefined when it has none. */
export function fieldsOfTransaction(transaction: RawTransaction) {
  return pick(transaction, TRANSACTION_FIELDS);
}

function pick(answer: object, fields: typeof RECEIPT_FIELDS) {
  let found: Fields | undefined;
  for (const [name, isValid] of fields) {
    const value = (answer as Fields)[name];
    if (isNothing(value) || !isValid(value)) continue;
    found ??= {};
    found[name] = value;
  }
  return found;
}

/** Returns the fee for a transaction's data on L1 in wei, as the node's hex; null when absent or invalid. */
export function l1FeeOf({ l1Fee }: RawReceipt): Hex | null {
  return isNothing(l1Fee) || !isAmount(l1Fee) ? null : l1Fee;
}

function isAmount(value: unknown): value is Hex {
  return isQuantity(value) && isUint256(BigInt(value));
}

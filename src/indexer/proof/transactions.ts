import type { Hash } from "viem";
import type { RawTransaction } from "../../chain/types.ts";
import { keccak256, recoverAddress } from "../../core/deep-imports.ts";
import { type Address, lowerAddress } from "../../core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../core/evm/deposits.ts";
import { type Hex, hexConcat } from "../../core/evm/hex.ts";
import { quantityToBigInt, quantityToNumber } from "../../core/evm/quantity.ts";
import { bytes, integer, type RlpValue, rlp, UnprovableError } from "./encoding.ts";

/** What a transaction signs, and its signature: v or parity, r, s. */
interface Parts {
  type: number;
  signed: RlpValue[];
  signature: [Hex, Hex, Hex];
}

/** A transaction as it stands in its block (EIP-2718). Throws `UnprovableError` for types that are not known. */
export function encodeTransaction(transaction: RawTransaction): Hex {
  if (isDeposit(transaction)) return encodeDeposit(transaction);
  const { type, signed, signature } = partsOf(transaction);
  return withType(type, rlp([...signed, ...signature]));
}

/** Whether a rollup's layer below ordered the transaction. */
export function isDeposit({ type }: RawTransaction): boolean {
  return quantityToNumber(type ?? "0x0") === DEPOSIT_TYPE;
}

/** A deposit as it stands in its block (OP Stack specification, "The Deposited Transaction Type"). */
function encodeDeposit(transaction: RawTransaction): Hex {
  const { sourceHash, from, to, mint, value, gas, isSystemTx, input } = transaction;
  const fields = [
    bytes(sourceHash, "sourceHash"),
    from,
    to ?? "0x",
    integer(mint ?? "0x0", "mint"),
    integer(value, "value"),
    integer(gas, "gas"),
    isSystemTx ? "0x01" : "0x",
    input,
  ] satisfies RlpValue[];
  return withType(DEPOSIT_TYPE, rlp(fields));
}

/** The account whose key signed a transaction. Throws `UnprovableError` for types that are not known. */
export async function recoverSender(transaction: RawTransaction): Promise<Address> {
  const { type, signed, signature } = partsOf(transaction);
  const v = quantityToBigInt(signature[0]);
  // EIP-155: the chain's id is signed, and told in v.
  const chain: RlpValue[] = type === 0 && v >= 35n ? [trimmed((v - 35n) / 2n), "0x", "0x"] : [];
  const hash = keccak256(withType(type, rlp([...signed, ...chain])));
  const yParity = type === 0 && v >= 27n ? Number((v + 1n) % 2n) : Number(v);
  const [, r, s] = signature;
  return lowerAddress(
    await recoverAddress({ hash: hash as Hash, signature: { r: word(r), s: word(s), yParity } }),
  );
}

function partsOf(transaction: RawTransaction): Parts {
  const type = quantityToNumber(transaction.type ?? "0x0");
  const { nonce, gas, value, input } = transaction;
  const to = transaction.to ?? "0x";
  const r = integer(transaction.r, "r");
  const s = integer(transaction.s, "s");
  if (type === 0) {
    const price = integer(transaction.gasPrice, "gasPrice");
    return {
      type,
      signed: [
        integer(nonce, "nonce"),
        price,
        integer(gas, "gas"),
        to,
        integer(value, "value"),
        input,
      ],
      signature: [integer(transaction.v, "v"), r, s],
    };
  }
  const signed: RlpValue[] = [
    integer(transaction.chainId, "chainId"),
    integer(nonce, "nonce"),
    ...feesOf(type, transaction),
    integer(gas, "gas"),
    to,
    integer(value, "value"),
    input,
    (transaction.accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys]),
    ...laterFieldsOf(type, transaction),
  ];
  return {
    type,
    signed,
    signature: [integer(transaction.yParity ?? transaction.v, "yParity"), r, s],
  };
}

/** EIP-2930, EIP-1559 and what came after it. */
function feesOf(type: number, transaction: RawTransaction): RlpValue[] {
  switch (type) {
    case 1:
      return [integer(transaction.gasPrice, "gasPrice")];
    case 2:
    case 3:
    case 4:
      return [
        integer(transaction.maxPriorityFeePerGas, "maxPriorityFeePerGas"),
        integer(transaction.maxFeePerGas, "maxFeePerGas"),
      ];
    default:
      throw new UnprovableError(`transactions of type ${type} are not known`);
  }
}

/** EIP-4844, EIP-7702. */
function laterFieldsOf(type: number, transaction: RawTransaction): RlpValue[] {
  if (type === 3) {
    const { maxFeePerBlobGas, blobVersionedHashes = [] } = transaction;
    return [integer(maxFeePerBlobGas, "maxFeePerBlobGas"), blobVersionedHashes];
  }
  if (type === 4) {
    const { authorizationList = [] } = transaction;
    return [
      authorizationList.map(({ chainId, address, nonce, yParity, v, r, s }) => [
        integer(chainId, "chainId"),
        bytes(address, "address"),
        integer(nonce, "nonce"),
        integer(yParity ?? v, "yParity"),
        integer(r, "r"),
        integer(s, "s"),
      ]),
    ];
  }
  return [];
}

/** The encoding of a type's fields with the type before it; none for the first kind of transactions. */
export function withType(type: number, encoded: Hex): Hex {
  return type === 0 ? encoded : hexConcat(`0x${type.toString(16).padStart(2, "0")}`, encoded);
}

function trimmed(value: bigint): Hex {
  return integer(`0x${value.toString(16)}`, "chainId");
}

function word(value: Hex): Hex {
  return `0x${value.slice(2).padStart(64, "0")}`;
}

import type { RawTransaction } from "../../chain/types.ts";
import { keccak256, recoverAddress } from "../../core/deep-imports.ts";
import { type Address, lowerAddress } from "../../core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../core/evm/deposits.ts";
import { type Hex, hexConcat } from "../../core/evm/hex.ts";
import { quantity, quantityToBigInt, quantityToNumber } from "../../core/evm/quantity.ts";
import { bytes, integer, type RlpValue, rlp, UnprovableError } from "./encoding.ts";

/** Signed content of a transaction, and its signature: v or parity, r, s. */
interface Parts {
  type: number;
  signed: RlpValue[];
  signature: [Hex, Hex, Hex];
}

/** Encodes a transaction as in its block (EIP-2718). Throws `UnprovableError` for unknown types. */
export function encodeTransaction(transaction: RawTransaction): Hex {
  if (isDeposit(transaction)) return encodeDeposit(transaction);
  const { type, signed, signature } = readParts(transaction);
  return withType(type, rlp([...signed, ...signature]));
}

/** Returns whether a rollup's L1 ordered the transaction. */
export function isDeposit({ type }: RawTransaction): boolean {
  return quantityToNumber(type ?? "0x0") === DEPOSIT_TYPE;
}

/** Encodes a deposit as in its block (OP Stack specification, "The Deposited Transaction Type"). */
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

/** Recovers the signer of a transaction. Throws `UnprovableError` for unknown types. */
export async function recoverSender(transaction: RawTransaction): Promise<Address> {
  const { type, signed, signature } = readParts(transaction);
  const v = quantityToBigInt(signature[0]);
  // EIP-155: the chain's id is signed, and encoded in v.
  const chain: RlpValue[] =
    type === 0 && v >= 35n ? [integer(quantity((v - 35n) / 2n), "chainId"), "0x", "0x"] : [];
  const hash = keccak256(withType(type, rlp([...signed, ...chain])));
  const yParity = type === 0 && v >= 27n ? Number((v + 1n) % 2n) : Number(v);
  const [, r, s] = signature;
  return lowerAddress(await recoverAddress({ hash, signature: { r, s, yParity } }));
}

function readParts(transaction: RawTransaction): Parts {
  const type = quantityToNumber(transaction.type ?? "0x0");
  const { nonce, gas, value, input } = transaction;
  const isTyped = type !== 0;
  const { yParity, v } = transaction;
  const accessList = transaction.accessList ?? [];
  const r = integer(transaction.r, "r");
  const s = integer(transaction.s, "s");
  const signed: RlpValue[] = [
    ...(isTyped ? [integer(transaction.chainId, "chainId")] : []),
    integer(nonce, "nonce"),
    ...encodeFees(type, transaction),
    integer(gas, "gas"),
    transaction.to ?? "0x",
    integer(value, "value"),
    input,
    ...(isTyped ? [accessList.map(({ address, storageKeys }) => [address, storageKeys])] : []),
    ...encodeLaterFields(type, transaction),
  ];
  const parity = isTyped ? integer(yParity ?? v, "yParity") : integer(v, "v");
  return { type, signed, signature: [parity, r, s] };
}

/** Returns the price of gas, or the fees of EIP-1559. */
function encodeFees(type: number, transaction: RawTransaction): RlpValue[] {
  switch (type) {
    case 0:
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

/** Returns the fields of EIP-4844 and EIP-7702. */
function encodeLaterFields(type: number, transaction: RawTransaction): RlpValue[] {
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

/** Prefixes an encoding with its type, if it has one. */
export function withType(type: number, encoded: Hex): Hex {
  return type === 0 ? encoded : hexConcat(`0x${type.toString(16).padStart(2, "0")}`, encoded);
}

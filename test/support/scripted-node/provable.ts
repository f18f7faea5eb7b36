import { secp256k1 } from "@noble/curves/secp256k1";
import {
  getContractAddress,
  keccak256,
  type Signature,
  serializeTransaction,
  stringToHex,
  type TransactionSerializable,
  toRlp,
} from "viem";
import { publicKeyToAddress } from "viem/accounts";
import type { RawBlock, RawHeader, RawReceipt, RawTransaction } from "../../../src/chain/types.ts";
import { type Address, lowerAddress } from "../../../src/core/evm/address.ts";
import { type Hex, hexFromBytes, hexToBytes } from "../../../src/core/evm/hex.ts";
import { quantity, quantityToBigInt, quantityToNumber } from "../../../src/core/evm/quantity.ts";
import { orderedTrieRoot } from "../../../src/indexer/proof/ordered-trie.ts";
import type { ScriptedBlock } from "./block.ts";

const keys = new Map<Address, Uint8Array>();

/** An address with a key, the same in every run: its transactions on a provable chain are signed. */
export function signer(name: string): Address {
  const key = hexToBytes(keccak256(stringToHex(`key of ${name}`)));
  const address = lowerAddress(
    publicKeyToAddress(hexFromBytes(secp256k1.getPublicKey(key, false))),
  );
  keys.set(address, key);
  return address;
}

/**
 * The same block with real hashes, signatures and roots, as Ethereum has them. Transactions are encoded by viem, the
 * rest by the rules of the Yellow Paper; the trie is the program's own, which is tested against a library's.
 */
export function sealed(built: ScriptedBlock, extra: Partial<RawBlock> = {}): ScriptedBlock {
  let { block, receipts, frames } = structuredClone({
    block: built.block,
    receipts: [...built.receipts],
    frames: [...built.frames],
  });
  const rename = (names: ReadonlyMap<string, Hex>): void => {
    const text = JSON.stringify({ block, receipts, frames });
    const renamed = text.replaceAll(/0x[0-9a-f]+/g, (name) => names.get(name) ?? name);
    ({ block, receipts, frames } = JSON.parse(renamed));
  };
  const hashes = new Map<string, Hex>();
  const encoded: Hex[] = [];
  for (const index of block.transactions.keys()) {
    const fields = withTip(
      block.transactions[index] as RawTransaction,
      block,
      receipts[index] as RawReceipt,
    );
    const { transaction, raw } = sign(fields);
    const { hash: old } = transaction;
    block.transactions[index] = transaction;
    encoded.push(raw);
    hashes.set(old, keccak256(raw));
    const created = receipts[index]?.contractAddress;
    if (created) {
      const { from, nonce } = transaction;
      const address = getContractAddress({ from, nonce: quantityToBigInt(nonce) });
      // A later transaction may be sent to it.
      rename(new Map([[created, lowerAddress(address)]]));
    }
  }
  rename(hashes);
  const header = {
    sha3Uncles: keccak256(toRlp(built.uncles.map(headerFields))),
    stateRoot: keccak256(block.hash),
    transactionsRoot: orderedTrieRoot(encoded),
    receiptsRoot: orderedTrieRoot(
      receipts.map((receipt, index) => encodeReceipt(block.transactions[index]?.type, receipt)),
    ),
    extraData: "0x1234",
    mixHash: keccak256(block.parentHash),
    nonce: "0x0000000000000000",
    ...(block.withdrawals && {
      withdrawalsRoot: orderedTrieRoot(
        block.withdrawals.map(({ index, validatorIndex, address, amount }) =>
          toRlp([trim(index), trim(validatorIndex), address, trim(amount)]),
        ),
      ),
    }),
    ...extra,
  } as const;
  Object.assign(block, header);
  rename(new Map([[block.hash, keccak256(encodeHeader(block))]]));
  return { ...built, block, receipts, frames };
}

/** Priority fee and receipt that agree: the scripted price, paid above the base fee. */
function withTip(
  transaction: RawTransaction,
  block: RawBlock,
  receipt: RawReceipt,
): RawTransaction {
  if (transaction.maxPriorityFeePerGas === undefined) return transaction;
  const price = quantityToBigInt(receipt.effectiveGasPrice ?? "0x0");
  const tip = price - quantityToBigInt(block.baseFeePerGas ?? "0x0");
  return { ...transaction, maxPriorityFeePerGas: quantity(tip) };
}

function sign(transaction: RawTransaction): { transaction: RawTransaction; raw: Hex } {
  const unsigned = serializable(transaction);
  const key = keys.get(transaction.from);
  if (!key) throw new RangeError(`${transaction.from} has no key: use signer(…)`);
  const made = secp256k1.sign(hexToBytes(keccak256(serializeTransaction(unsigned))), key);
  const signature: Signature = {
    r: quantity(made.r),
    s: quantity(made.s),
    yParity: made.recovery,
  };
  const legacyV = 35n + BigInt(unsigned.chainId ?? 0) * 2n + BigInt(made.recovery);
  const isLegacy = unsigned.type === "legacy";
  return {
    transaction: {
      ...transaction,
      r: signature.r,
      s: signature.s,
      v: quantity(isLegacy ? legacyV : made.recovery),
      ...(isLegacy ? {} : { yParity: quantity(made.recovery) }),
    },
    raw: serializeTransaction(unsigned, isLegacy ? { ...signature, v: legacyV } : signature),
  };
}

const TYPES = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"] as const;

function serializable(transaction: RawTransaction): TransactionSerializable {
  const { type, to, nonce, gas, value, input, chainId, gasPrice, ...rest } = transaction;
  const kind = TYPES[quantityToNumber(type ?? "0x0")];
  return {
    type: kind,
    chainId: quantityToNumber(chainId ?? "0x1"),
    nonce: quantityToNumber(nonce),
    gas: quantityToBigInt(gas),
    value: quantityToBigInt(value),
    data: input,
    ...(to && { to }),
    ...((kind === "legacy" || kind === "eip2930") && {
      gasPrice: quantityToBigInt(gasPrice ?? "0x0"),
    }),
    ...(rest.maxFeePerGas && { maxFeePerGas: quantityToBigInt(rest.maxFeePerGas) }),
    ...(rest.maxPriorityFeePerGas && {
      maxPriorityFeePerGas: quantityToBigInt(rest.maxPriorityFeePerGas),
    }),
    ...(rest.maxFeePerBlobGas && {
      maxFeePerBlobGas: quantityToBigInt(rest.maxFeePerBlobGas),
      blobVersionedHashes: rest.blobVersionedHashes,
    }),
    ...(rest.accessList && { accessList: rest.accessList }),
    ...(rest.authorizationList && {
      authorizationList: rest.authorizationList.map((one) => ({
        address: one.address,
        chainId: quantityToNumber(one.chainId),
        nonce: quantityToNumber(one.nonce),
        r: one.r,
        s: one.s,
        yParity: quantityToNumber(one.yParity ?? "0x0"),
      })),
    }),
  } as unknown as TransactionSerializable;
}

function encodeReceipt(type: Hex | undefined, receipt: RawReceipt): Hex {
  const { status, root, cumulativeGasUsed, logsBloom, logs } = receipt;
  const body = toRlp([
    status === undefined ? (root ?? "0x") : trim(status),
    trim(cumulativeGasUsed),
    logsBloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ]);
  const number = quantityToNumber(type ?? "0x0");
  return number === 0 ? body : `0x0${number}${body.slice(2)}`;
}

/** The fields of a header before London, which an uncle of the scripted chain is always from. */
function headerFields(block: RawHeader): Hex[] {
  return [
    block.parentHash,
    block.sha3Uncles,
    block.miner,
    block.stateRoot,
    block.transactionsRoot,
    block.receiptsRoot,
    block.logsBloom,
    trim(block.difficulty),
    trim(block.number),
    trim(block.gasLimit),
    trim(block.gasUsed),
    trim(block.timestamp),
    block.extraData,
    block.mixHash,
    block.nonce,
  ] as Hex[];
}

function encodeHeader(block: RawBlock): Hex {
  const later = block.withdrawalsRoot === undefined ? [] : [block.withdrawalsRoot];
  return toRlp([...headerFields(block), trim(block.baseFeePerGas), ...later]);
}

function trim(value: Hex | undefined): Hex {
  const digits = quantityToBigInt(value ?? "0x0").toString(16);
  if (digits === "0") return "0x";
  return `0x${digits.length % 2 === 0 ? "" : "0"}${digits}`;
}

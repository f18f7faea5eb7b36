import type { RawTransaction } from "../../../src/chain/types.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import type { Random } from "../../support/world/random.ts";
import type { Accounts } from "./accounts.ts";
import { around, fillerBytes, randomBytes, skewed } from "./draws.ts";
import type { ChainShape } from "./shape.ts";

/** A transaction with what becomes of it, before it has its place in a block. */
export interface TransactionDraft {
  kind: "creation" | "transfer" | "call";
  succeeded: boolean;
  /** The called address, or the contract that is created. */
  target: Address;
  gasUsed: number;
  effectiveGasPrice: Hex;
  type: number;
  /** Without its place: block and index. */
  transaction: Omit<RawTransaction, "blockHash" | "blockNumber" | "transactionIndex">;
}

const TRANSFER_SHARE = 0.3;
const LARGEST_TIP = 2_000_000_000;
const TRANSFER_GAS = 21_000;
const CREATION_GAS = 1_200_000;
const CALL_GAS = 50_000;
const BLOB_HASHES = 2;

/** Draws a transaction; `contracts` are what calls go to, the busiest first. */
export function drawTransaction(
  shape: ChainShape,
  random: Random,
  { accounts, contracts, nonces, baseFee }: TransactionSurroundings,
): TransactionDraft {
  const creates = random.chance(shape.creationShare);
  const calls = !creates && !random.chance(TRANSFER_SHARE);
  const kind = creates ? "creation" : calls ? "call" : "transfer";
  const type = drawType(shape, random, kind);
  const sender = accounts.draw();
  const nonce = nonces[sender] ?? 0;
  nonces[sender] = nonce + 1;
  const target =
    kind === "creation"
      ? randomBytes(random, 20)
      : kind === "transfer"
        ? accounts.address(accounts.draw())
        : (contracts[skewed(random, contracts.length)] as Address);
  const gasUsed =
    kind === "creation"
      ? CREATION_GAS
      : kind === "transfer"
        ? TRANSFER_GAS
        : CALL_GAS + random.integer(CALL_GAS * 4);
  const price = baseFee + 1 + random.integer(LARGEST_TIP);
  const parity = random.integer(2);
  return {
    kind,
    succeeded: kind === "transfer" || !random.chance(shape.failedShare / (1 - TRANSFER_SHARE)),
    target,
    gasUsed,
    effectiveGasPrice: quantity(price),
    type,
    transaction: {
      type: quantity(type),
      chainId: "0x1",
      nonce: quantity(nonce),
      from: accounts.address(sender),
      to: kind === "creation" ? null : target,
      value: kind === "call" ? "0x0" : quantity(BigInt(1 + random.integer(2 ** 32)) * 10n ** 9n),
      gas: quantity(Math.ceil(gasUsed * 1.3)),
      gasPrice: quantity(price),
      input: drawInput(shape, random, kind),
      hash: randomBytes(random, 32),
      v: quantity(type === 0 ? 37 + parity : parity),
      r: fillerBytes(random, 32),
      s: fillerBytes(random, 32),
      ...(type > 0 ? { yParity: quantity(parity) } : {}),
      ...fieldsOfType(random, type, price, target),
    },
  };
}

/** Input of a random transaction. */
export interface TransactionSurroundings {
  accounts: Accounts;
  contracts: readonly Address[];
  /** By rank of the sender; counted up. */
  nonces: number[];
  /** In wei. */
  baseFee: number;
}

function drawType({ typeWeights }: ChainShape, random: Random, kind: string): number {
  let rest = random.integer(typeWeights.reduce((sum, weight) => sum + weight, 0));
  const type = typeWeights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  // Blobs and authorisations cannot go with a creation.
  return kind === "creation" ? Math.min(type, 2) : type;
}

function drawInput(shape: ChainShape, random: Random, kind: string): Hex {
  if (kind === "transfer") return "0x";
  return fillerBytes(random, kind === "creation" ? shape.codeBytes : 4 + 32 * around(random, 4));
}

function fieldsOfType(
  random: Random,
  type: number,
  price: number,
  target: Address,
): Partial<RawTransaction> {
  const fields: Partial<RawTransaction> = {};
  if (type >= 1) {
    fields.accessList =
      type === 1 ? [{ address: target, storageKeys: [fillerBytes(random, 32)] }] : [];
  }
  if (type >= 2) {
    fields.maxFeePerGas = quantity(price * 2);
    fields.maxPriorityFeePerGas = quantity(LARGEST_TIP);
  }
  if (type === 3) {
    fields.maxFeePerBlobGas = "0x3b9aca00";
    fields.blobVersionedHashes = Array.from(
      { length: BLOB_HASHES },
      (): Hex => `0x01${fillerBytes(random, 31).slice(2)}`,
    );
  }
  if (type === 4) {
    fields.authorizationList = [
      {
        chainId: "0x1",
        address: target,
        nonce: "0x1",
        yParity: "0x0",
        r: fillerBytes(random, 32),
        s: fillerBytes(random, 32),
      },
    ];
  }
  return fields;
}

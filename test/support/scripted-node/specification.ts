import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";

// A test's specification of a block. Everything left out gets a valid value.

export interface LogSpecification {
  address: Address;
  /** Default none. */
  topics?: readonly Hex[];
  /** Default `0x`. */
  data?: Hex;
}

/** A call below the transaction itself, as the tracers show it. Its value moves unless it or a call above it failed. */
export interface CallSpecification {
  /** Default `CALL`; `callTracer`'s spelling. */
  type?: string;
  from: Address;
  to?: Address;
  valueWei?: bigint;
  input?: Hex;
  output?: Hex;
  error?: string;
  calls?: readonly CallSpecification[];
}

export interface TransactionSpecification {
  /** Default: an account of its own kind. */
  from?: Address;
  /** Null for a creation, whose `contractAddress` is then made up unless given. Default: another account. */
  to?: Address | null;
  contractAddress?: Address;
  valueWei?: bigint;
  input?: Hex;
  output?: Hex;
  /** EIP-2718 type, also an unknown one. Default 2. */
  type?: number;
  /** Default 21,000 and what the logs cost. */
  gasUsed?: number;
  effectiveGasPriceWei?: bigint;
  /** The error of a failed transaction; its logs and effects do not happen. */
  error?: string;
  /** Only the receipt shows that it failed: the trace has no error at its top. */
  silentTrace?: boolean;
  logs?: readonly LogSpecification[];
  calls?: readonly CallSpecification[];
  /** Further or other fields of the transaction and of its receipt, as they come over the wire. */
  fields?: Readonly<Record<string, unknown>>;
  receiptFields?: Readonly<Record<string, unknown>>;
}

/** State that the block sets beside what its transactions move. */
export interface StateSpecification {
  /** In wei. */
  balances?: Readonly<Record<Address, bigint>>;
  code?: Readonly<Record<Address, Hex>>;
  storage?: readonly { address: Address; slot: Hex; value: Hex }[];
  /** Answers of `eth_call` from this block on; null reverts. */
  calls?: readonly { to: Address; data: Hex; returns: Hex | null }[];
}

export interface BlockSpecification {
  /** How many numbers before the block have none, as Filecoin's null rounds. */
  leavesOut?: number;
  transactions?: readonly TransactionSpecification[];
  withdrawals?: readonly { address: Address; amountGwei: number }[];
  /** Blocks of the last seven heights that lost: their producers, and how many blocks they are older. */
  uncles?: readonly { miner: Address; distance: number }[];
  timestampSeconds?: number;
  miner?: Address;
  /** Null for a block before EIP-1559. */
  baseFeeWei?: bigint | null;
  state?: StateSpecification;
  /** Further or other fields of the block, as they come over the wire. */
  fields?: Readonly<Record<string, unknown>>;
  /** Distinguishes blocks that would otherwise be the same. */
  salt?: string;
}

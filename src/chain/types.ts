import type { AccessList, Log, RpcAuthorization, RpcTransactionReceipt, Withdrawal } from "viem";
import type { Hex } from "../core/evm/hex.ts";

// JSON answers of the node (execution-apis specification), only the used fields. Hex stays hex;
// unknown fields and transaction types pass. Not validated here (indexer/checks/validate.ts does
// that).

export interface RawTransaction {
  hash: Hex;
  /** Absent on nodes older than EIP-2718. */
  type?: Hex;
  blockHash: Hex | null;
  blockNumber: Hex | null;
  transactionIndex: Hex | null;
  from: Hex;
  /** Null for a contract creation. */
  to: Hex | null;
  nonce: Hex;
  value: Hex;
  gas: Hex;
  gasPrice?: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  input: Hex;
  chainId?: Hex;
  v?: Hex;
  r?: Hex;
  s?: Hex;
  yParity?: Hex;
  accessList?: AccessList;
  authorizationList?: readonly RawAuthorization[];
  maxFeePerBlobGas?: Hex;
  blobVersionedHashes?: readonly Hex[];
  /** Only deposits have these three (`DEPOSIT_TYPE`). */
  sourceHash?: Hex;
  mint?: Hex | null;
  isSystemTx?: boolean;
}

/** EIP-7702. */
export interface RawAuthorization extends Omit<RpcAuthorization, "yParity"> {
  yParity?: Hex;
  v?: Hex;
}

export interface RawLog extends Omit<Log<Hex, Hex, false>, "removed" | "topics"> {
  topics: Hex[];
  removed?: boolean;
}

type ReceiptOfMost = Omit<RpcTransactionReceipt, "effectiveGasPrice" | "status" | "type" | "logs">;

export interface RawReceipt extends ReceiptOfMost {
  contractAddress: Hex | null;
  effectiveGasPrice?: Hex;
  /** Absent before Byzantium (EIP-658). */
  status?: Hex;
  logs: RawLog[];
  /** Wei, of a rollup. */
  l1Fee?: Hex | null;
  /** Only receipts of deposits have these two. */
  depositNonce?: Hex;
  depositReceiptVersion?: Hex;
}

/** Optional: fields of forks, and fields for proofs only, which some chains lack. */
export interface RawHeader {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  miner: Hex;
  difficulty?: Hex;
  gasLimit: Hex;
  gasUsed: Hex;
  logsBloom: Hex;
  sha3Uncles?: Hex;
  stateRoot?: Hex;
  transactionsRoot?: Hex;
  receiptsRoot?: Hex;
  extraData?: Hex;
  mixHash?: Hex;
  nonce?: Hex;
  baseFeePerGas?: Hex;
  withdrawalsRoot?: Hex;
  blobGasUsed?: Hex;
  excessBlobGas?: Hex;
  parentBeaconBlockRoot?: Hex;
  requestsHash?: Hex;
  /** EIP-7928. */
  blockAccessListHash?: Hex;
  /** EIP-7843. */
  slotNumber?: Hex;
}

export interface RawBlock extends RawHeader {
  size?: Hex;
  transactions: RawTransaction[];
  /** Hashes of the uncles. */
  uncles?: Hex[];
  withdrawals?: Withdrawal[];
}

/** One call, creation or self-destruct of a trace, in one form for all tracers. */
export interface CallFrame {
  /** `call`, `callcode`, `delegatecall`, `staticcall`, `create`, `create2`, `selfdestruct`, or another in lower case. */
  type: string;
  from: Hex;
  /** Callee, created contract, or beneficiary of a self-destruct; null when a creation failed. */
  to: Hex | null;
  value: Hex | null;
  gas: Hex | null;
  gasUsed: Hex | null;
  /** Call data or init code; empty where it is dropped (`chain/traces/call-inputs.ts`). */
  input: Hex | "";
  /** Return data, revert data, or the deployed code of a creation. */
  output: Hex | null;
  /** The tracer's error text; null when the frame succeeded. A frame inside a failed one may itself have succeeded. */
  error: string | null;
  calls: CallFrame[];
}

export interface TransactionTrace {
  /** Null when the tracer does not name the transaction. */
  transactionHash: Hex | null;
  frame: CallFrame;
}

/** A deviation of a block from the specification's form (`forms/`). */
export interface Oddity {
  /**
   * `not-executed` and `no-receipt`: transactions without receipts. `extra-receipts` and `no-transaction`: receipts without
   * transactions. The block's gas confirms the first of each pair, and the second may be a list that a node cut.
   */
  kind:
    | "not-executed"
    | "no-receipt"
    | "extra-receipts"
    | "no-transaction"
    | "odd-header"
    | "odd-field";
  reason: string;
}

/** All data of one block, fetched and not yet validated. */
export interface FetchedBlock {
  block: RawBlock;
  /** In the order the node gave them. */
  receipts: RawReceipt[];
  uncles?: RawHeader[];
  /** One per transaction in their order; null when the block is not traced (no tracer, or its state is pruned). */
  traces: TransactionTrace[] | null;
  oddities?: readonly Oddity[];
  /** Indexes of the transactions, where some are left out between them. */
  indexes?: readonly number[];
}

/** Identity of a block. Number and time are unsigned integers below 2^53. */
export interface BlockHeader {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestampSeconds: number;
}

import { copyTable, type RowOf } from "../../db/copy.ts";

/** Append-only tables as COPY takes them (migrations/0001_chain.sql), by the names of `ChainRows`. */
export const chainTables = {
  blocks: copyTable("blocks", {
    number: "int8",
    hash: "bytea",
    parent_hash: "bytea",
    timestamp: "int8",
    miner: "bytea",
    difficulty: "numeric",
    size: "int8",
    gas_limit: "numeric",
    gas_used: "numeric",
    base_fee_per_gas: "numeric?",
    transaction_count: "int4",
    fees: "numeric",
    reward: "numeric",
    gas_price_minimum: "numeric?",
    gas_price_maximum: "numeric?",
    l1_fees: "numeric?",
  }),
  transactions: copyTable("transactions", {
    block_number: "int8",
    transaction_index: "int4",
    hash: "bytea",
    type: "int4",
    from_address: "bytea",
    to_address: "bytea?",
    created_contract: "bytea?",
    nonce: "numeric",
    value: "numeric",
    gas: "numeric",
    gas_price: "numeric",
    max_fee_per_gas: "numeric?",
    max_priority_fee_per_gas: "numeric?",
    gas_used: "numeric",
    cumulative_gas_used: "numeric",
    status: "int2?",
    input: "bytea",
    error: "text?",
    revert_data: "bytea?",
    v: "numeric?",
    r: "bytea?",
    s: "bytea?",
    extra: "json?",
    l1_fee: "numeric?",
  }),
  transactionHashes: copyTable("transaction_hashes", {
    hash: "bytea",
    block_number: "int8",
    transaction_index: "int4",
  }),
  logs: copyTable("logs", {
    block_number: "int8",
    log_index: "int4",
    transaction_index: "int4",
    address: "bytea",
    topic0: "bytea?",
    topic1: "bytea?",
    topic2: "bytea?",
    topic3: "bytea?",
    data: "bytea",
  }),
  internalTransactions: copyTable("internal_transactions", {
    block_number: "int8",
    transaction_index: "int4",
    position: "int4",
    trace_address: "int4[]",
    type: "text",
    call_type: "text?",
    from_address: "bytea",
    to_address: "bytea?",
    created_contract: "bytea?",
    value: "numeric",
    gas: "numeric?",
    gas_used: "numeric?",
    input: "bytea?",
    error: "text?",
    effective: "bool",
  }),
  withdrawals: copyTable("withdrawals", {
    block_number: "int8",
    withdrawal_index: "int8",
    validator_index: "int8",
    address: "bytea",
    amount: "numeric",
  }),
  uncles: copyTable("uncles", {
    block_number: "int8",
    position: "int4",
    hash: "bytea",
    number: "int8",
    timestamp: "int8",
    miner: "bytea",
  }),
  tokenTransfers: copyTable("token_transfers", {
    block_number: "int8",
    log_index: "int4",
    batch_index: "int4",
    transaction_index: "int4",
    token: "bytea",
    standard: "int2",
    from_address: "bytea",
    to_address: "bytea",
    token_id: "numeric?",
    amount: "numeric?",
  }),
  consecutiveTransfers: copyTable("consecutive_transfers", {
    token: "bytea",
    block_number: "int8",
    log_index: "int4",
    transaction_index: "int4",
    from_address: "bytea",
    to_address: "bytea",
    first_id: "numeric",
    last_id: "numeric",
  }),
  contracts: copyTable("contracts", {
    address: "bytea",
    block_number: "int8",
    transaction_index: "int4",
    position: "int4",
    creator: "bytea",
    code_hash: "bytea?",
  }),
  contractDestructions: copyTable("contract_destructions", {
    address: "bytea",
    block_number: "int8",
    transaction_index: "int4",
    position: "int4",
  }),
  implementationChanges: copyTable("implementation_changes", {
    address: "bytea",
    block_number: "int8",
    log_index: "int4",
  }),
  /** Of EIP-7702, by the accounts that signed (`decodeDelegations`). */
  delegations: copyTable("delegations", {
    authority: "bytea",
    block_number: "int8",
    transaction_index: "int4",
    position: "int4",
    delegate: "bytea",
    nonce: "numeric",
  }),
  addressTransactions: copyTable("address_transactions", {
    address: "bytea",
    block_number: "int8",
    transaction_index: "int4",
    sides: "int2",
  }),
  addressInternalTransactions: copyTable("address_internal_transactions", {
    address: "bytea",
    block_number: "int8",
    transaction_index: "int4",
    position: "int4",
    sides: "int2",
    valued: "bool",
  }),
  addressTokenTransfers: copyTable("address_token_transfers", {
    address: "bytea",
    standard: "int2",
    block_number: "int8",
    log_index: "int4",
    batch_index: "int4",
    token: "bytea",
    sides: "int2",
  }),
};

export type ChainTableName = keyof typeof chainTables;

/** Rows of one or many blocks, by table. */
export type ChainRows = { [Name in ChainTableName]: RowOf<(typeof chainTables)[Name]>[] };

/** Returns no rows of any table. */
export function emptyRows(): ChainRows {
  return Object.fromEntries(Object.keys(chainTables).map((name) => [name, []])) as never;
}

/** Returns the column of a chain table that holds the block number. */
export function blockColumn(name: ChainTableName): string {
  return name === "blocks" ? "number" : "block_number";
}

/** The roles of an address in an entry; the `sides` columns hold their sum. */
export const SIDE = { sender: 1, receiver: 2, created: 4 } as const;

import { copyTable, type RowOf } from "../../db/copy.ts";

/** Append-only tables as COPY takes them (migrations/0001_chain.sql), by the names of `ChainRows`. */
export const chainTables = {
  blocks: copyTable("blocks", {
    int8: ["number", "timestamp", "size"],
    bytea: ["hash", "parent_hash", "miner"],
    numeric: ["difficulty", "gas_limit", "gas_used", "fees", "reward"],
    "numeric?": ["base_fee_per_gas", "gas_price_minimum", "gas_price_maximum", "l1_fees"],
    int4: ["transaction_count"],
  }),
  /** Numbers that the chain left out. */
  leftOutBlocks: copyTable("left_out_blocks", { int8: ["block_number"] }),
  transactions: copyTable("transactions", {
    int8: ["block_number"],
    int4: ["transaction_index", "type"],
    bytea: ["hash", "from_address", "input"],
    "bytea?": ["to_address", "created_contract", "revert_data", "r", "s"],
    numeric: ["nonce", "value", "gas", "gas_price", "gas_used", "cumulative_gas_used"],
    "numeric?": ["max_fee_per_gas", "max_priority_fee_per_gas", "v", "l1_fee"],
    "int2?": ["status"],
    "text?": ["error"],
    "json?": ["extra"],
  }),
  transactionHashes: copyTable("transaction_hashes", {
    bytea: ["hash"],
    int8: ["block_number"],
    int4: ["transaction_index"],
  }),
  logs: copyTable("logs", {
    int8: ["block_number"],
    int4: ["log_index", "transaction_index"],
    bytea: ["address", "data"],
    "bytea?": ["topic0", "topic1", "topic2", "topic3"],
  }),
  internalTransactions: copyTable("internal_transactions", {
    int8: ["block_number"],
    int4: ["transaction_index", "position"],
    "int4[]": ["trace_address"],
    text: ["type"],
    "text?": ["call_type", "error"],
    bytea: ["from_address"],
    "bytea?": ["to_address", "created_contract", "input"],
    numeric: ["value"],
    "numeric?": ["gas", "gas_used"],
    bool: ["effective"],
  }),
  withdrawals: copyTable("withdrawals", {
    int8: ["block_number", "withdrawal_index", "validator_index"],
    bytea: ["address"],
    numeric: ["amount"],
  }),
  uncles: copyTable("uncles", {
    int8: ["block_number", "number", "timestamp"],
    int4: ["position"],
    bytea: ["hash", "miner"],
  }),
  tokenTransfers: copyTable("token_transfers", {
    int8: ["block_number"],
    int4: ["log_index", "batch_index", "transaction_index"],
    bytea: ["token", "from_address", "to_address"],
    int2: ["standard"],
    "numeric?": ["token_id", "amount"],
  }),
  consecutiveTransfers: copyTable("consecutive_transfers", {
    bytea: ["token", "from_address", "to_address"],
    int8: ["block_number"],
    int4: ["log_index", "transaction_index"],
    numeric: ["first_id", "last_id"],
  }),
  contracts: copyTable("contracts", {
    bytea: ["address", "creator"],
    int8: ["block_number"],
    int4: ["transaction_index", "position"],
    "bytea?": ["code_hash"],
  }),
  contractDestructions: copyTable("contract_destructions", {
    bytea: ["address"],
    int8: ["block_number"],
    int4: ["transaction_index", "position"],
  }),
  implementationChanges: copyTable("implementation_changes", {
    bytea: ["address"],
    int8: ["block_number"],
    int4: ["log_index"],
  }),
  /** Authorizations (EIP-7702) with the accounts that signed them (`decodeDelegations`). */
  delegations: copyTable("delegations", {
    bytea: ["authority", "delegate"],
    int8: ["block_number"],
    int4: ["transaction_index", "position"],
    numeric: ["nonce"],
  }),
  addressTransactions: copyTable("address_transactions", {
    bytea: ["address"],
    int8: ["block_number"],
    int4: ["transaction_index"],
    int2: ["sides"],
  }),
  addressInternalTransactions: copyTable("address_internal_transactions", {
    bytea: ["address"],
    int8: ["block_number"],
    int4: ["transaction_index", "position"],
    int2: ["sides"],
    bool: ["valued"],
  }),
  addressTokenTransfers: copyTable("address_token_transfers", {
    bytea: ["address", "token"],
    int2: ["standard", "sides"],
    int8: ["block_number"],
    int4: ["log_index", "batch_index"],
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

-- The chain as the node tells it: append-only rows, the tail is deleted on a reorg. Every primary key begins with
-- the column the table would be distributed by. Rows above sync_state.head_number are not published yet.

CREATE TABLE sync_state (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  chain_id bigint NOT NULL,
  start_block bigint NOT NULL,
  -- Hash of the block START_BLOCK: another one means another chain.
  genesis_hash bytea NOT NULL,
  -- The published head; null before the first block is.
  head_number bigint,
  head_hash bytea,
  head_timestamp bigint,
  -- Blocks up to here are recorded whole, though those above the head are not published yet: where a backfill goes on.
  recorded_number bigint,
  -- Counts roll-backs: an answer that mixes node and database compares it before and after.
  generation bigint NOT NULL DEFAULT 0,
  -- Whether internal transactions are indexed; false means that coin balances must be asked of the node.
  traced boolean NOT NULL,
  -- Sum of addresses.balance.
  coin_supply numeric NOT NULL DEFAULT 0,
  -- False while secondary indexes are taken away for the first load.
  indexed boolean NOT NULL DEFAULT true
);

-- The writer's fence: who takes the writer's lock raises the epoch, and what an older writer sends is refused.
CREATE TABLE writer (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  epoch bigint NOT NULL
);
INSERT INTO writer (epoch) VALUES (0);

-- What the indexer last said of itself, for /health of whatever process serves the API.
CREATE TABLE indexer_status (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  updated_at timestamptz NOT NULL,
  status jsonb NOT NULL
);

-- Indexes and constraints taken away for the first load, and how to bring them back.
CREATE TABLE deferred_indexes (
  name text PRIMARY KEY,
  definition text NOT NULL
);

CREATE TABLE blocks (
  number bigint PRIMARY KEY,
  hash bytea NOT NULL,
  parent_hash bytea NOT NULL,
  timestamp bigint NOT NULL,
  miner bytea NOT NULL,
  difficulty numeric(78,0) NOT NULL,
  size bigint NOT NULL,
  gas_limit numeric(78,0) NOT NULL,
  gas_used numeric(78,0) NOT NULL,
  base_fee_per_gas numeric(78,0),
  transaction_count integer NOT NULL,
  -- Sum over the transactions of gas used times effective gas price, in wei.
  fees numeric NOT NULL,
  -- The part of the fees that the fee recipient keeps (without the base fee), in wei.
  reward numeric NOT NULL
);
CREATE INDEX blocks_hash ON blocks (hash);
CREATE INDEX blocks_timestamp ON blocks (timestamp, number);
CREATE INDEX blocks_miner ON blocks (miner, number);

CREATE TABLE transactions (
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  hash bytea NOT NULL,
  type integer NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea,
  -- The contract a creation made, when it succeeded.
  created_contract bytea,
  nonce numeric(78,0) NOT NULL,
  value numeric(78,0) NOT NULL,
  gas numeric(78,0) NOT NULL,
  -- The effective price of the receipt.
  gas_price numeric(78,0) NOT NULL,
  max_fee_per_gas numeric(78,0),
  max_priority_fee_per_gas numeric(78,0),
  gas_used numeric(78,0) NOT NULL,
  cumulative_gas_used numeric(78,0) NOT NULL,
  -- Null before Byzantium.
  status smallint,
  input bytea NOT NULL,
  -- Of a failed transaction, from its trace: the tracer's words and the data it returned.
  error text,
  revert_data bytea,
  v numeric(78,0),
  r bytea,
  s bytea,
  -- accessList, authorizationList, blob fields of transaction and receipt, as the node gave them; null without any.
  extra json,
  PRIMARY KEY (block_number, transaction_index)
);

CREATE TABLE transaction_hashes (
  hash bytea PRIMARY KEY,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL
);
CREATE INDEX transaction_hashes_block ON transaction_hashes USING brin (block_number) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE logs (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  transaction_index integer NOT NULL,
  address bytea NOT NULL,
  topic0 bytea,
  topic1 bytea,
  topic2 bytea,
  topic3 bytea,
  data bytea NOT NULL,
  PRIMARY KEY (block_number, log_index)
);
-- A hash of eight bytes finds a topic (the query compares the whole): an entry half as large as with the word itself, a
-- fifth smaller than with eight bytes cut out of it, and words that share some bytes (texts, numbers) stay apart.
CREATE INDEX logs_address ON logs (address, block_number, log_index);
CREATE INDEX logs_address_topic0 ON logs (hashtextextended(encode(address || topic0, 'hex'), 0), block_number, log_index) WHERE topic0 IS NOT NULL;
CREATE INDEX logs_topic0 ON logs (hashtextextended(encode(topic0, 'hex'), 0), block_number, log_index) WHERE topic0 IS NOT NULL;
CREATE INDEX logs_topic1 ON logs (hashtextextended(encode(topic1, 'hex'), 0), block_number, log_index) WHERE topic1 IS NOT NULL;
CREATE INDEX logs_topic2 ON logs (hashtextextended(encode(topic2, 'hex'), 0), block_number, log_index) WHERE topic2 IS NOT NULL;
CREATE INDEX logs_topic3 ON logs (hashtextextended(encode(topic3, 'hex'), 0), block_number, log_index) WHERE topic3 IS NOT NULL;

-- Every frame of a transaction's trace but the top-level call (the transaction itself); a top-level creation is kept,
-- at position 0 and without its input, which is the transaction's. An effective frame has no failed frame around it.
CREATE TABLE internal_transactions (
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  -- Depth-first, 0 is the top-level frame.
  position integer NOT NULL,
  trace_address integer[] NOT NULL,
  type text NOT NULL,
  -- call, callcode, delegatecall, staticcall; null for other types.
  call_type text,
  from_address bytea NOT NULL,
  to_address bytea,
  created_contract bytea,
  value numeric(78,0) NOT NULL,
  gas numeric(78,0),
  gas_used numeric(78,0),
  input bytea,
  output bytea,
  error text,
  effective boolean NOT NULL,
  PRIMARY KEY (block_number, transaction_index, position)
);
-- Those listed by default, as in address_internal_transactions.
CREATE INDEX internal_transactions_valued ON internal_transactions (block_number, transaction_index, position) WHERE call_type IS NULL OR value > 0;

CREATE TABLE withdrawals (
  block_number bigint NOT NULL,
  withdrawal_index bigint NOT NULL,
  validator_index bigint NOT NULL,
  address bytea NOT NULL,
  -- In Gwei.
  amount numeric(78,0) NOT NULL,
  PRIMARY KEY (block_number, withdrawal_index)
);
CREATE INDEX withdrawals_address ON withdrawals (address, block_number, withdrawal_index);

-- Batches unfolded: one row per id. standard: 20, 404, 721 or 1155.
CREATE TABLE token_transfers (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  batch_index integer NOT NULL,
  transaction_index integer NOT NULL,
  token bytea NOT NULL,
  standard smallint NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  token_id numeric(78,0),
  amount numeric(78,0),
  PRIMARY KEY (block_number, log_index, batch_index)
);
CREATE INDEX token_transfers_token ON token_transfers (token, standard, block_number, log_index, batch_index);
CREATE INDEX token_transfers_token_id ON token_transfers (token, token_id, block_number, log_index, batch_index) WHERE standard = 721;

-- Every creation that took effect. An address may be created again after its destruction: the newest row counts.
CREATE TABLE contracts (
  address bytea NOT NULL,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  -- Position of the creating frame: 0 is the transaction itself, and its input the init code.
  position integer NOT NULL,
  -- Who ran CREATE: the sender for position 0, else the factory.
  creator bytea NOT NULL,
  -- keccak-256 of the deployed code; null without traces.
  code_hash bytea,
  PRIMARY KEY (address, block_number, transaction_index, position)
);
CREATE INDEX contracts_block ON contracts (block_number, transaction_index, position, address);
-- Creations that left no code: the hash of nothing.
CREATE INDEX contracts_empty ON contracts (address) WHERE code_hash = '\xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

-- Self-destructs that removed the code (EIP-6780: since Cancun only in the creating transaction).
CREATE TABLE contract_destructions (
  address bytea NOT NULL,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (address, block_number, transaction_index, position)
);
CREATE INDEX contract_destructions_block ON contract_destructions (block_number);

-- Activity of an address in the order it is served: one row per address and entry, whatever the number of its sides.
-- sides: 1 sender, 2 receiver, 4 created contract.
CREATE TABLE address_transactions (
  address bytea NOT NULL,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  sides smallint NOT NULL,
  PRIMARY KEY (address, block_number, transaction_index) INCLUDE (sides)
);
CREATE INDEX address_transactions_block ON address_transactions USING brin (block_number) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE address_internal_transactions (
  address bytea NOT NULL,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  position integer NOT NULL,
  sides smallint NOT NULL,
  -- Listed by default: not a call, or one with a value.
  valued boolean NOT NULL,
  PRIMARY KEY (address, block_number, transaction_index, position) INCLUDE (sides)
);
CREATE INDEX address_internal_transactions_valued ON address_internal_transactions (address, block_number, transaction_index, position) INCLUDE (sides) WHERE valued;
CREATE INDEX address_internal_transactions_block ON address_internal_transactions USING brin (block_number) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE address_token_transfers (
  address bytea NOT NULL,
  standard smallint NOT NULL,
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  batch_index integer NOT NULL,
  token bytea NOT NULL,
  PRIMARY KEY (address, standard, block_number, log_index, batch_index)
);
CREATE INDEX address_token_transfers_token ON address_token_transfers (address, token, standard, block_number, log_index, batch_index);
CREATE INDEX address_token_transfers_block ON address_token_transfers USING brin (block_number) WITH (pages_per_range = 16, autosummarize = on);

-- What follows from the chain's rows and from the contracts' own answers. A null block means "still to be read".

CREATE TABLE addresses (
  address bytea PRIMARY KEY,
  first_block bigint NOT NULL,
  balance numeric(78,0),
  -- The block the balance was read at; it is true until the address is touched again. Null: to be read.
  balance_block bigint
);
CREATE INDEX addresses_first_block ON addresses (first_block, address);
CREATE INDEX addresses_pending ON addresses (address) WHERE balance_block IS NULL;

CREATE TABLE tokens (
  address bytea PRIMARY KEY,
  standard smallint NOT NULL,
  first_block bigint NOT NULL,
  name text,
  symbol text,
  -- The answers' raw bytes, for what cannot be shown as text.
  name_data bytea,
  symbol_data bytea,
  decimals smallint,
  -- The block name, symbol and decimals were read at. Null: to be read.
  metadata_block bigint,
  total_supply numeric(78,0),
  -- The block the supply was read at. Null: to be read (first seen, minted or burnt since).
  supply_block bigint,
  holder_count bigint NOT NULL DEFAULT 0,
  -- Balances change without the events that would tell (rebasing, fees, silent mints): they are read again on every
  -- event of the token and on request.
  irregular boolean NOT NULL DEFAULT false
);
CREATE INDEX tokens_first_block ON tokens (first_block);
CREATE INDEX tokens_pending ON tokens (address) WHERE metadata_block IS NULL OR supply_block IS NULL;

-- Holdings of a token by owner: amount (ERC-20, ERC-404), number of tokens (ERC-721), sum over the ids (ERC-1155).
-- While block_number is null the amount is only what the transfers add up to.
CREATE TABLE token_balances (
  token bytea NOT NULL,
  owner bytea NOT NULL,
  amount numeric NOT NULL,
  block_number bigint,
  PRIMARY KEY (token, owner)
);
CREATE INDEX token_balances_holders ON token_balances (token, amount DESC, owner DESC) WHERE amount > 0;
CREATE INDEX token_balances_owner ON token_balances (owner, token) WHERE amount > 0;
CREATE INDEX token_balances_pending ON token_balances (token, owner) WHERE block_number IS NULL;
CREATE INDEX token_balances_pending_owner ON token_balances (owner) WHERE block_number IS NULL;

-- Holdings of an ERC-1155 token by owner and id.
CREATE TABLE token_id_balances (
  token bytea NOT NULL,
  owner bytea NOT NULL,
  token_id numeric(78,0) NOT NULL,
  amount numeric NOT NULL,
  block_number bigint,
  PRIMARY KEY (token, owner, token_id)
);
CREATE INDEX token_id_balances_owner ON token_id_balances (owner, token, token_id) WHERE amount > 0;
CREATE INDEX token_id_balances_pending ON token_id_balances (token, owner, token_id) WHERE block_number IS NULL;

-- Owner of each ERC-721 token by its last transfer; the zero address after a burn.
CREATE TABLE nft_owners (
  token bytea NOT NULL,
  token_id numeric(78,0) NOT NULL,
  owner bytea NOT NULL,
  block_number bigint NOT NULL,
  PRIMARY KEY (token, token_id)
);
CREATE INDEX nft_owners_owner ON nft_owners (owner, token, token_id);

-- One row per UTC day that has blocks. Amounts in wei unless the name tells otherwise.
CREATE TABLE daily_statistics (
  day date PRIMARY KEY,
  block_count bigint NOT NULL,
  first_timestamp bigint NOT NULL,
  last_timestamp bigint NOT NULL,
  transaction_count bigint NOT NULL,
  fees numeric NOT NULL,
  rewards numeric NOT NULL,
  burnt_fees numeric NOT NULL,
  gas_used numeric NOT NULL,
  gas_limit numeric NOT NULL,
  block_bytes numeric NOT NULL,
  gas_price_minimum numeric,
  gas_price_maximum numeric,
  gas_price_sum numeric NOT NULL,
  withdrawn_gwei numeric NOT NULL,
  new_addresses bigint NOT NULL
);

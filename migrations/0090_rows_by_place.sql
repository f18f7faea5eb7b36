-- Rows of the tables that hold most of a chain, by their place. Statements that combine them with other tables read them
-- through these functions: PostgreSQL puts the body in the place of the call, and plans as if it stood there. Where the
-- tables are spread over several servers, each call is sent to the one that has the row (store/distribution.ts).

CREATE FUNCTION transaction_places(hash bytea) RETURNS SETOF transaction_hashes
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM transaction_hashes AS t
  WHERE hashtextextended(encode(t.hash, 'hex'), 0) = hashtextextended(encode($1, 'hex'), 0) AND t.hash = $1
$$;

CREATE FUNCTION transaction_at(block_number bigint, transaction_index integer) RETURNS SETOF transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM transactions AS t WHERE t.block_number = $1 AND t.transaction_index = $2 LIMIT 1
$$;

CREATE FUNCTION internal_transaction_at(block_number bigint, transaction_index integer, "position" integer)
RETURNS SETOF internal_transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM internal_transactions AS i
  WHERE i.block_number = $1 AND i.transaction_index = $2 AND i.position = $3 LIMIT 1
$$;

CREATE FUNCTION log_at(block_number bigint, log_index integer) RETURNS SETOF logs
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM logs AS l WHERE l.block_number = $1 AND l.log_index = $2 LIMIT 1
$$;

CREATE FUNCTION token_transfer_at(block_number bigint, log_index integer, batch_index integer)
RETURNS SETOF token_transfers
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM token_transfers AS f
  WHERE f.block_number = $1 AND f.log_index = $2 AND f.batch_index = $3 LIMIT 1
$$;

CREATE FUNCTION withdrawal_at(block_number bigint, withdrawal_index bigint) RETURNS SETOF withdrawals
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM withdrawals AS w WHERE w.block_number = $1 AND w.withdrawal_index = $2 LIMIT 1
$$;

CREATE FUNCTION transactions_of_block(block_number bigint) RETURNS SETOF transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
  SELECT * FROM transactions AS t WHERE t.block_number = $1
$$;

CREATE FUNCTION logs_of_transaction(block_number bigint, transaction_index integer) RETURNS SETOF logs
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
  SELECT * FROM logs AS l WHERE l.block_number = $1 AND l.transaction_index = $2
$$;

CREATE FUNCTION internal_transactions_of_transaction(block_number bigint, transaction_index integer)
RETURNS SETOF internal_transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
  SELECT * FROM internal_transactions AS i WHERE i.block_number = $1 AND i.transaction_index = $2
$$;

CREATE FUNCTION internal_transactions_of_block(block_number bigint) RETURNS SETOF internal_transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
  SELECT * FROM internal_transactions AS i WHERE i.block_number = $1
$$;

CREATE FUNCTION token_transfers_of_block(block_number bigint) RETURNS SETOF token_transfers
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
  SELECT * FROM token_transfers AS f WHERE f.block_number = $1
$$;

CREATE FUNCTION transactions_to(address bytea) RETURNS SETOF address_transactions
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM address_transactions AS a WHERE a.address = $1 AND a.sides & 2 <> 0
$$;

CREATE FUNCTION internal_transactions_to(address bytea) RETURNS SETOF address_internal_transactions
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM address_internal_transactions AS a WHERE a.address = $1 AND a.sides & 2 <> 0
$$;

CREATE FUNCTION logs_of_event(address bytea, topic0 bytea) RETURNS SETOF logs
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
  SELECT * FROM logs AS l
  WHERE hashtextextended(encode(l.address || l.topic0, 'hex'), 0) = hashtextextended(encode($1 || $2, 'hex'), 0)
    AND l.address = $1 AND l.topic0 = $2
$$;

CREATE FUNCTION token_transfers_of_transaction(block_number bigint, transaction_index integer)
RETURNS SETOF token_transfers
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
  SELECT * FROM token_transfers AS f WHERE f.block_number = $1 AND f.transaction_index = $2
$$;

CREATE FUNCTION last_nft_transfer(token bytea, token_id numeric) RETURNS SETOF token_transfers
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT * FROM token_transfers AS f WHERE f.standard = 721 AND f.token = $1 AND f.token_id = $2
  ORDER BY f.block_number DESC, f.log_index DESC LIMIT 1
$$;

CREATE FUNCTION transfers_of_address(address bytea) RETURNS SETOF address_token_transfers
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM address_token_transfers AS a WHERE a.address = $1
$$;

CREATE FUNCTION transfers_of_holding(owner bytea, token bytea) RETURNS SETOF address_token_transfers
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM address_token_transfers AS a
  WHERE hashtextextended(encode(a.address || a.token, 'hex'), 0) = hashtextextended(encode($1 || $2, 'hex'), 0)
    AND a.address = $1 AND a.token = $2
$$;

-- As before, by these functions.
CREATE OR REPLACE VIEW valid_verified_contracts AS
SELECT v.*
FROM verified_contracts v
CROSS JOIN sync_state s
LEFT JOIN LATERAL (
  SELECT block_number, transaction_index, code_hash FROM contracts
  WHERE address = v.address AND block_number <= s.head_number
  ORDER BY block_number DESC, transaction_index DESC, position DESC
  LIMIT 1
) c ON true
LEFT JOIN LATERAL transaction_at(c.block_number, c.transaction_index) t ON true
WHERE (c.code_hash IS NULL OR c.code_hash = v.code_hash)
  AND CASE
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT 1 FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

CREATE OR REPLACE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
  SELECT 1 FROM (VALUES (p.address), (p.beacon)) AS emitter (address)
  CROSS JOIN (VALUES
    ('\xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b'::bytea),
    ('\x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e'),
    ('\x75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8'),
    ('\x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673')) AS event (topic0)
  CROSS JOIN LATERAL logs_of_event(emitter.address, event.topic0) l
  WHERE l.block_number > p.block_number AND l.block_number <= s.head_number);

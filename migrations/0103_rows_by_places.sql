-- Rows of a page by their places, all at once: PostgreSQL plans each body as if it stood in the place of the call, and
-- Citus sends one statement to each shard that has some of the rows, which it tells by the last condition.

CREATE FUNCTION transactions_at(block_numbers bigint[], transaction_indexes integer[]) RETURNS SETOF transactions
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT t.* FROM unnest($1, $2) AS place (block_number, transaction_index)
  JOIN transactions AS t USING (block_number, transaction_index)
  WHERE NOT is_distributed() OR t.block_number = ANY ($1)
$$;

CREATE FUNCTION internal_transactions_at(block_numbers bigint[], transaction_indexes integer[], positions integer[])
RETURNS TABLE (internal internal_transactions, transaction transactions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT i, t FROM unnest($1, $2, $3) AS place (block_number, transaction_index, "position")
  JOIN internal_transactions AS i USING (block_number, transaction_index, "position")
  JOIN transactions AS t ON t.block_number = i.block_number AND t.transaction_index = i.transaction_index
  WHERE NOT is_distributed() OR i.block_number = ANY ($1) AND t.block_number = ANY ($1)
$$;

CREATE FUNCTION logs_at(block_numbers bigint[], log_indexes integer[])
RETURNS TABLE (log logs, transaction transactions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT l, t FROM unnest($1, $2) AS place (block_number, log_index)
  JOIN logs AS l USING (block_number, log_index)
  JOIN transactions AS t ON t.block_number = l.block_number AND t.transaction_index = l.transaction_index
  WHERE NOT is_distributed() OR l.block_number = ANY ($1) AND t.block_number = ANY ($1)
$$;

CREATE FUNCTION token_transfers_at(block_numbers bigint[], log_indexes integer[], batch_indexes integer[])
RETURNS TABLE (transfer token_transfers, transaction transactions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT f, t FROM unnest($1, $2, $3) AS place (block_number, log_index, batch_index)
  JOIN token_transfers AS f USING (block_number, log_index, batch_index)
  JOIN transactions AS t ON t.block_number = f.block_number AND t.transaction_index = f.transaction_index
  WHERE NOT is_distributed() OR f.block_number = ANY ($1) AND t.block_number = ANY ($1)
$$;

CREATE FUNCTION withdrawals_at(block_numbers bigint[], withdrawal_indexes bigint[]) RETURNS SETOF withdrawals
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT w.* FROM unnest($1, $2) AS place (block_number, withdrawal_index)
  JOIN withdrawals AS w USING (block_number, withdrawal_index)
  WHERE NOT is_distributed() OR w.block_number = ANY ($1)
$$;

DROP FUNCTION log_at(bigint, integer), withdrawal_at(bigint, bigint), transfers_of_address(bytea),
  transactions_to(bytea), internal_transactions_to(bytea);

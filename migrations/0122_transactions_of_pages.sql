-- Rows of a page with as much of their transactions as the page shows. A transaction looked up for each row is planned
-- sooner than a join of both tables, which each shard's server plans anew. Either table's blocks tell which shards are asked.

DROP FUNCTION internal_transactions_at(bigint[], integer[], integer[]), logs_at(bigint[], integer[]),
  token_transfers_at(bigint[], integer[], integer[]);

CREATE FUNCTION internal_transactions_at(block_numbers bigint[], transaction_indexes integer[], positions integer[])
RETURNS TABLE (internal internal_transactions, transaction_hash bytea)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT i, t.hash FROM unnest($1, $2, $3) AS place (block_number, transaction_index, "position")
  JOIN internal_transactions AS i USING (block_number, transaction_index, "position")
  CROSS JOIN LATERAL (
    SELECT o.hash FROM transactions AS o
    WHERE o.block_number = i.block_number AND o.transaction_index = i.transaction_index
      AND (NOT is_distributed() OR o.block_number = ANY ($1))
    LIMIT 1
  ) AS t
  WHERE NOT is_distributed() OR i.block_number = ANY ($1)
$$;

CREATE FUNCTION logs_at(block_numbers bigint[], log_indexes integer[])
RETURNS TABLE (log logs, transaction_hash bytea, gas_price numeric, gas_used numeric)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT l, t.hash, t.gas_price, t.gas_used FROM unnest($1, $2) AS place (block_number, log_index)
  JOIN logs AS l USING (block_number, log_index)
  CROSS JOIN LATERAL (
    SELECT o.hash, o.gas_price, o.gas_used FROM transactions AS o
    WHERE o.block_number = l.block_number AND o.transaction_index = l.transaction_index
      AND (NOT is_distributed() OR o.block_number = ANY ($1))
    LIMIT 1
  ) AS t
  WHERE NOT is_distributed() OR l.block_number = ANY ($1)
$$;

CREATE FUNCTION token_transfers_at(block_numbers bigint[], log_indexes integer[], batch_indexes integer[])
RETURNS TABLE (transfer token_transfers, transaction_hash bytea, transaction_to bytea, nonce numeric, gas numeric,
  gas_price numeric, gas_used numeric, cumulative_gas_used numeric, input bytea)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT f, t.hash, t.to_address, t.nonce, t.gas, t.gas_price, t.gas_used, t.cumulative_gas_used, t.input
  FROM unnest($1, $2, $3) AS place (block_number, log_index, batch_index)
  JOIN token_transfers AS f USING (block_number, log_index, batch_index)
  CROSS JOIN LATERAL (
    SELECT o.hash, o.to_address, o.nonce, o.gas, o.gas_price, o.gas_used, o.cumulative_gas_used, o.input
    FROM transactions AS o
    WHERE o.block_number = f.block_number AND o.transaction_index = f.transaction_index
      AND (NOT is_distributed() OR o.block_number = ANY ($1))
    LIMIT 1
  ) AS t
  WHERE NOT is_distributed() OR f.block_number = ANY ($1)
$$;

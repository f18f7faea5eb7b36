-- Transactions of a page, as before (0103), with the columns that lists show. Several servers sent the coordinator whole rows,
-- signatures included; and for a USING, Citus writes out the columns of both sides to each of them.
DROP FUNCTION transactions_at(bigint[], integer[]);

CREATE FUNCTION transactions_at(block_numbers bigint[], transaction_indexes integer[])
RETURNS TABLE (block_number bigint, transaction_index integer, hash bytea, from_address bytea, to_address bytea,
  created_contract bytea, nonce numeric, value numeric, gas numeric, gas_price numeric, gas_used numeric,
  cumulative_gas_used numeric, status smallint, input bytea, error text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT t.block_number, t.transaction_index, t.hash, t.from_address, t.to_address, t.created_contract, t.nonce, t.value,
    t.gas, t.gas_price, t.gas_used, t.cumulative_gas_used, t.status, t.input, t.error
  FROM unnest($1, $2) AS place (block, index), transactions AS t
  WHERE t.block_number = place.block AND t.transaction_index = place.index
    AND (NOT is_distributed() OR t.block_number = ANY ($1))
$$;

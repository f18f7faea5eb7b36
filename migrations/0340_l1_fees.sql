-- Fees of rollups for one server and for several: a transaction's fee for its data on L1, and the sums of blocks and days. Null where the
-- receipt has none. The other fields that only rollups have stand in transactions.extra, under `receipt`.
-- On Citus, what follows goes over the connections of what went before.
SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);
DO $$
DECLARE
  -- It asks a function for rows of the table. Citus refuses the circle where the table is altered.
  definition CONSTANT text := pg_get_viewdef('valid_verified_contracts'::regclass);
BEGIN
  DROP VIEW valid_verified_contracts;
  ALTER TABLE transactions ADD COLUMN l1_fee numeric(78,0);
  EXECUTE 'CREATE VIEW valid_verified_contracts AS ' || definition;
END $$;
ALTER TABLE blocks ADD COLUMN l1_fees numeric;
ALTER TABLE daily_statistics ADD COLUMN l1_fees numeric NOT NULL DEFAULT 0;

-- l1_fees: a receipt of the chain had an L1 fee. l1_fees_from: rows of blocks before this one are of an earlier version, without these
-- fields, until the indexer has read their receipts again.
ALTER TABLE sync_state ADD COLUMN l1_fees boolean NOT NULL DEFAULT false, ADD COLUMN l1_fees_from bigint NOT NULL DEFAULT 0;
UPDATE sync_state SET l1_fees_from = coalesce(greatest(head_number, recorded_number) + 1, 0);

-- L1 fees of a page of transactions, as transactions_at reads their other columns (0190).
CREATE FUNCTION l1_fees_at(block_numbers bigint[], transaction_indexes integer[])
RETURNS TABLE (block_number bigint, transaction_index integer, l1_fee numeric)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 AS $$
  SELECT t.block_number, t.transaction_index, t.l1_fee
  FROM unnest($1, $2) AS place (block, index), transactions AS t
  WHERE t.block_number = place.block AND t.transaction_index = place.index
    AND (NOT is_distributed() OR t.block_number = ANY ($1))
$$;

-- A hash of a transaction is found by an index of the transactions themselves. A table of hashes stands only where rows are
-- spread over several servers, where no block tells which server to ask. Elsewhere a view takes its place: at once in a
-- database without blocks, else when the index stands and a writer begins (store/transaction-hashes.ts). The function may
-- not depend on the type of its rows.
DROP FUNCTION transaction_places(bytea);
CREATE FUNCTION transaction_places(transaction_hash bytea)
RETURNS TABLE (hash bytea, block_number bigint, transaction_index integer)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT t.hash, t.block_number, t.transaction_index FROM transaction_hashes AS t
  WHERE hashtextextended(encode(t.hash, 'hex'), 0) = hashtextextended(encode($1, 'hex'), 0) AND t.hash = $1
$$;

-- Until then the primary key of an earlier version does.
DELETE FROM index_builds WHERE name = 'transaction_hashes_hash' AND NOT is_distributed();
SELECT replace_index('transactions_hash', 'transactions_hash', 'transactions', '(hashtextextended(encode(hash, ''hex''), 0))')
WHERE NOT is_distributed();

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM blocks) AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    DROP TABLE transaction_hashes;
    CREATE VIEW transaction_hashes AS SELECT hash, block_number, transaction_index FROM transactions;
  END IF;
END $$;

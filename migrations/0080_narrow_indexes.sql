-- Indexes by block instead of by place in the block. Entries of one key and block share one list of rows (PostgreSQL,
-- "Deduplication"), six bytes a row, and what a page reads of a block is sorted as it is read.

-- Indexes that replace others while the chain is served: see store/index-builds.ts.
CREATE TABLE index_builds (
  name text PRIMARY KEY,
  table_name text NOT NULL,
  -- What follows the table in CREATE INDEX.
  definition text NOT NULL,
  -- Index or primary key that is dropped once the new one stands.
  replaced text NOT NULL
);

-- Replaces an index at once where there are no rows, else leaves it to the indexer.
CREATE FUNCTION replace_index(replaced text, name text, table_name text, definition text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE statement text := format('CREATE INDEX %I ON %I %s', name, table_name, definition);
BEGIN
  IF EXISTS (SELECT FROM deferred_indexes d WHERE d.name = replaced) THEN
    DELETE FROM deferred_indexes d WHERE d.name = replaced;
    INSERT INTO deferred_indexes VALUES (name, statement);
  ELSIF EXISTS (SELECT FROM blocks) THEN
    INSERT INTO index_builds VALUES (name, table_name, definition, replaced);
  ELSE
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', table_name, replaced);
    EXECUTE format('DROP INDEX IF EXISTS %I', replaced);
    EXECUTE statement;
  END IF;
END $$;

SELECT replace_index('logs_address', 'logs_address', 'logs', '(address, block_number)');
SELECT replace_index('logs_address_topic0', 'logs_address_topic0', 'logs',
  '(hashtextextended(encode(address || topic0, ''hex''), 0), block_number) WHERE topic0 IS NOT NULL');
SELECT replace_index(name, name, 'logs',
    format('(hashtextextended(encode(%s, ''hex''), 0), block_number) WHERE %1$s IS NOT NULL', topic))
  FROM unnest(ARRAY['topic0', 'topic1', 'topic2', 'topic3']) AS topic, format('logs_%s', topic) AS name;

SELECT replace_index('transaction_hashes_pkey', 'transaction_hashes_hash', 'transaction_hashes',
  '(hashtextextended(encode(hash, ''hex''), 0))');

SELECT replace_index('token_transfers_token', 'token_transfers_token', 'token_transfers',
  '(token, standard, block_number)');
SELECT replace_index('address_token_transfers_token', 'address_token_transfers_token', 'address_token_transfers',
  '(hashtextextended(encode(address || token, ''hex''), 0), block_number)');

SELECT replace_index('address_internal_transactions_pkey', 'address_internal_transactions_address',
  'address_internal_transactions', '(address, block_number)');
SELECT replace_index('address_internal_transactions_valued', 'address_internal_transactions_valued',
  'address_internal_transactions', '(address, block_number) WHERE valued');
SELECT replace_index('internal_transactions_valued', 'internal_transactions_valued', 'internal_transactions',
  '(block_number) WHERE call_type IS NULL OR value > 0');

-- What is to be read is read in the order of the table: its rows are written anew one page after the other, and their
-- places used again.
SELECT replace_index('token_balances_pending', 'token_balances_pending', 'token_balances', '(token) WHERE block_number IS NULL');
SELECT replace_index('token_id_balances_pending', 'token_id_balances_pending', 'token_id_balances', '(token) WHERE block_number IS NULL');
SELECT replace_index('token_balances_read', 'token_balances_read', 'token_balances', '(block_number)');
SELECT replace_index('token_id_balances_read', 'token_id_balances_read', 'token_id_balances', '(block_number)');

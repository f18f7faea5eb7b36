-- Eight bytes in the place of an address in the indexes of internal transactions, which read each row anyway.

-- As before (0080). What is to replace an index that is not there yet takes its place.
CREATE OR REPLACE FUNCTION replace_index(replaced text, name text, table_name text, definition text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE statement text := format('CREATE INDEX %I ON %I %s', name, table_name, definition);
BEGIN
  IF EXISTS (SELECT FROM deferred_indexes d WHERE d.name = replaced) THEN
    DELETE FROM deferred_indexes d WHERE d.name = replaced;
    INSERT INTO deferred_indexes VALUES (name, statement);
  ELSIF EXISTS (SELECT FROM index_builds b WHERE b.name = replace_index.replaced) THEN
    UPDATE index_builds b SET name = replace_index.name, definition = replace_index.definition
      WHERE b.name = replace_index.replaced;
  ELSIF EXISTS (SELECT FROM blocks) THEN
    INSERT INTO index_builds VALUES (name, table_name, definition, replaced);
  ELSE
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', table_name, replaced);
    EXECUTE format('DROP INDEX IF EXISTS %I', replaced);
    EXECUTE statement;
  END IF;
END $$;

-- Queries compare the key, by which an index finds, and what it is of, by which an index of an earlier version does until the
-- new one stands. Without these statistics PostgreSQL multiplies the shares that each of them has of the table, expects far
-- too few rows where they are many, and reads and sorts all of them for a page.
DO $$ BEGIN
  IF NOT is_distributed() THEN
    CREATE STATISTICS address_internal_transactions_key (dependencies)
      ON address, (hashtextextended(encode(address, 'hex'), 0)) FROM address_internal_transactions;
    CREATE STATISTICS address_token_transfers_token_key (dependencies)
      ON address, token, (hashtextextended(encode(address || token, 'hex'), 0)) FROM address_token_transfers;
    IF EXISTS (SELECT FROM blocks) THEN
      ANALYZE address_internal_transactions, address_token_transfers;
    END IF;
  END IF;
END $$;

SELECT replace_index('address_internal_transactions_address', 'address_internal_transactions_address',
  'address_internal_transactions', '(hashtextextended(encode(address, ''hex''), 0), block_number)');
SELECT replace_index('address_internal_transactions_valued', 'address_internal_transactions_valued',
  'address_internal_transactions', '(hashtextextended(encode(address, ''hex''), 0), block_number) WHERE valued');

-- Of indexes that grow at their end alone, a page that is full is not written to again: nothing needs to be left free in it.
-- What PostgreSQL leaves by itself is a tenth. Pages that were written before stay as they are. One statement at a time: Citus
-- sends workers the text that it is given.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['transactions_pkey', 'logs_pkey', 'token_transfers_pkey', 'internal_transactions_pkey',
    'withdrawals_pkey']
  LOOP
    EXECUTE format('ALTER INDEX %I SET (fillfactor = 100)', name);
  END LOOP;
END $$;

-- Of indexes that grow at their end alone, a page that is full is not written to again: nothing needs to be left free in it.
-- What PostgreSQL leaves by itself is a tenth. Pages that were written before stay as they are.
ALTER INDEX transactions_pkey SET (fillfactor = 100);
ALTER INDEX logs_pkey SET (fillfactor = 100);
ALTER INDEX token_transfers_pkey SET (fillfactor = 100);
ALTER INDEX internal_transactions_pkey SET (fillfactor = 100);
ALTER INDEX withdrawals_pkey SET (fillfactor = 100);

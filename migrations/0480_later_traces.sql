-- traced_to: while the internal transactions of a chain that was bound without traces are indexed after all, oldest first, the last
-- block that has them; null before that, and on a traced chain.
ALTER TABLE sync_state ADD COLUMN traced_to bigint;

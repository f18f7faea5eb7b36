-- Whether the head that the node had at first was reached once, with all indexes: what /health/ready waits for.
ALTER TABLE sync_state ADD COLUMN synchronised boolean NOT NULL DEFAULT false;
UPDATE sync_state SET synchronised = indexed AND head_number IS NOT NULL;

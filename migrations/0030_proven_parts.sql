-- Parts of blocks that were proven on this chain (indexer/proof/): one that cannot be proven any more is refused.
ALTER TABLE sync_state ADD COLUMN proven_parts text[] NOT NULL DEFAULT '{}';

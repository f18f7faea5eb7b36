-- Whether what transactions pay arrives where the blocks say; null while no block has told. False means, as without
-- traces, that coin balances must be asked of the node.
ALTER TABLE sync_state ADD COLUMN fees_followed boolean;

-- Contracts that no indexed creation tells of: those of the genesis allocation, and those from before START_BLOCK. Whether
-- an address has code is asked of the node with its first balance, unless its creation is indexed. Null: not asked yet.
ALTER TABLE addresses ADD COLUMN has_code boolean;

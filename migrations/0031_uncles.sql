-- Uncles by the block that includes them. Blocks that are indexed already count as having none: a chain that has uncles
-- is to be indexed anew to have them.
CREATE TABLE uncles (
  block_number bigint NOT NULL,
  position integer NOT NULL,
  hash bytea NOT NULL,
  -- Of the uncle itself: lower than the block's.
  number bigint NOT NULL,
  timestamp bigint NOT NULL,
  miner bytea NOT NULL,
  PRIMARY KEY (block_number, position)
);
CREATE INDEX uncles_miner ON uncles (miner, number, block_number);

ALTER TABLE daily_statistics
  ADD COLUMN uncle_count bigint NOT NULL DEFAULT 0,
  -- Rewards of the uncles in eighths of a block's.
  ADD COLUMN uncle_eighths bigint NOT NULL DEFAULT 0;

-- The lowest and the highest price in each block, so that a roll-back finds those of a day without its transactions. Null
-- without transactions, and in blocks that are indexed already: there the transactions tell.
ALTER TABLE blocks
  ADD COLUMN gas_price_minimum numeric(78,0),
  ADD COLUMN gas_price_maximum numeric(78,0);

-- Nothing reads it. The room that it took is used again as PostgreSQL rewrites the table's pages.
ALTER TABLE internal_transactions DROP COLUMN output;

-- The sum of addresses.balance, in a table of its own: whatever follows from the blocks is in tables that hold nothing
-- else. No row: the sum is 0.
CREATE TABLE coin_supply (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  total numeric NOT NULL
);
INSERT INTO coin_supply (total) SELECT coin_supply FROM sync_state;
ALTER TABLE sync_state DROP COLUMN coin_supply;

-- The raw bytes of a token's name and symbol, which nothing has read.
ALTER TABLE tokens DROP COLUMN name_data, DROP COLUMN symbol_data;

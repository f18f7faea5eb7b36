-- Tokens and verified contracts by the beginnings of their names, the oldest token first. Names may be very long.
CREATE INDEX tokens_name ON tokens (lower(left(name, 64)) COLLATE "C", first_block, address) WHERE name IS NOT NULL;
CREATE INDEX tokens_symbol ON tokens (lower(left(symbol, 64)) COLLATE "C", first_block, address) WHERE symbol IS NOT NULL;
CREATE INDEX verified_contracts_name ON verified_contracts (lower(left(contract_name, 64)) COLLATE "C", address);

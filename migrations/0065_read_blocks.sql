-- A roll-back finds what was read at the blocks it takes away. Entries are appended: what is read is read at the head.
CREATE INDEX addresses_read ON addresses (balance_block) WHERE balance_block IS NOT NULL;
CREATE INDEX token_balances_read ON token_balances (block_number) WHERE block_number IS NOT NULL;
CREATE INDEX token_id_balances_read ON token_id_balances (block_number) WHERE block_number IS NOT NULL;
CREATE INDEX tokens_read ON tokens (greatest(metadata_block, supply_block));

-- Since EIP-6780 a contract that destroys itself keeps its code, unless it was created in the same transaction. Some chains
-- have it whose headers do not tell (Polygon, Arbitrum): there the node is asked whether the code is gone.

-- The newest block after a self-destruct at which the node told of code.
ALTER TABLE addresses ADD COLUMN code_seen_block bigint;

-- Self-destructs after which there may be code all the same. No chain had the rule before 2024.
CREATE VIEW doubtful_destructions AS
SELECT d.address, d.block_number FROM contract_destructions d
JOIN blocks b ON b.number = d.block_number AND b.timestamp >= 1704067200
WHERE NOT EXISTS (
  SELECT 1 FROM contracts c
  WHERE c.address = d.address AND c.block_number = d.block_number AND c.transaction_index = d.transaction_index);

-- Self-destructs that removed the code, as far as is known.
CREATE VIEW contract_removals AS
SELECT d.* FROM contract_destructions d
WHERE NOT EXISTS (
  SELECT 1 FROM addresses a WHERE a.address = d.address AND a.code_seen_block >= d.block_number);

UPDATE addresses SET balance_block = NULL WHERE address IN (SELECT address FROM doubtful_destructions);

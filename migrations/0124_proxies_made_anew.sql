-- What a proxy delegates to holds no longer once its address, or its beacon's, was created again (CREATE2 after a
-- self-destruct): it is read anew, as after an upgrade.
CREATE OR REPLACE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
    SELECT 1 FROM implementation_changes c
    WHERE c.address IN (p.address, p.beacon) AND c.block_number > p.block_number AND c.block_number <= s.head_number)
  AND NOT EXISTS (
    SELECT 1 FROM contracts c
    WHERE c.address IN (p.address, p.beacon) AND c.block_number > p.block_number AND c.block_number <= s.head_number);

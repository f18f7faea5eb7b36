-- After a reorganisation the same transaction may have a factory make another contract at the same address, with the same
-- code but by other init code. SHA-256 of the init code, which PostgreSQL can compute; null without one, and for contracts
-- that were verified before.
ALTER TABLE verified_contracts ADD COLUMN creation_code_hash bytea;

-- It names no row type: before a new worker of Citus has any table, it gets what a view calls.
CREATE FUNCTION creation_code_hash_at(block_number bigint, transaction_index integer, "position" integer)
RETURNS TABLE (creation_code_hash bytea)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT sha256(i.input) FROM internal_transactions AS i
  WHERE i.block_number = $1 AND i.transaction_index = $2 AND i.position = $3 LIMIT 1
$$;

-- As before; what a factory made holds in the block in which it was verified, and in another one if its init code is the same.
CREATE OR REPLACE VIEW valid_verified_contracts AS
SELECT v.*
FROM verified_contracts v
CROSS JOIN sync_state s
LEFT JOIN LATERAL (
  SELECT block_number, transaction_index, position, code_hash FROM contracts
  WHERE address = v.address AND block_number <= s.head_number
  ORDER BY block_number DESC, transaction_index DESC, position DESC
  LIMIT 1
) c ON true
LEFT JOIN LATERAL transaction_at(c.block_number, c.transaction_index) t ON true
WHERE (c.code_hash IS NULL OR c.code_hash = v.code_hash
    OR c.code_hash = '\xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470' AND EXISTS (
      SELECT 1 FROM addresses a WHERE a.address = v.address AND a.code_seen_block >= c.block_number))
  AND NOT v.is_replaced
  AND CASE
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction AND (
      c.position = 0
      OR (SELECT b.hash FROM blocks b WHERE b.number = c.block_number) = v.block_hash
      OR EXISTS (
        SELECT 1 FROM creation_code_hash_at(c.block_number, c.transaction_index, c.position) i
        WHERE i.creation_code_hash = v.creation_code_hash))
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT 1 FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

-- Whether the node gets stuck in the contract: it was asked alone and left without an answer, while the node made another
-- call. Its transfers are believed then, until it answers.
ALTER TABLE tokens ADD COLUMN unresponsive boolean NOT NULL DEFAULT false;
CREATE INDEX tokens_unresponsive ON tokens (address) WHERE unresponsive;

-- A creation whose frame has no code is one of no code, or its tracer leaves code out: the node is asked, see
-- addresses.code_seen_block. As before, with what it told.
CREATE OR REPLACE VIEW valid_verified_contracts AS
SELECT v.*
FROM verified_contracts v
CROSS JOIN sync_state s
LEFT JOIN LATERAL (
  SELECT block_number, transaction_index, code_hash FROM contracts
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
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT 1 FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

UPDATE addresses SET balance_block = NULL WHERE address IN (
  SELECT address FROM contracts
  WHERE code_hash = '\xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');

-- Where the index knows no creation, only the node tells that other code took the place of what was verified: a contract
-- that destroyed itself and was made anew with CREATE2, on a chain without traces. True once other code was seen there;
-- an address without code keeps what was verified.
ALTER TABLE verified_contracts ADD COLUMN is_replaced boolean NOT NULL DEFAULT false;
CREATE INDEX verified_contracts_untold ON verified_contracts (address) WHERE creation_transaction IS NULL;

-- What else the compiler was given beside language, sources and settings, as JSON: interfaces, storage_layout_overrides.
ALTER TABLE verified_contracts ADD COLUMN further_input text NOT NULL DEFAULT '{}';

-- As before, without what was replaced, and with the new columns.
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
WHERE (c.code_hash IS NULL OR c.code_hash = v.code_hash)
  AND NOT v.is_replaced
  AND CASE
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT 1 FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

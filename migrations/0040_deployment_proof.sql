-- How it was proven that the source made the contract, as JSON (DeploymentProof in src/store/deployment-proofs.ts); null
-- for what was verified before there was this column.
ALTER TABLE verified_contracts ADD COLUMN proof text;

-- As before. A view keeps the columns of its table that there were when it was made.
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
LEFT JOIN transactions t
  ON t.block_number = c.block_number AND t.transaction_index = c.transaction_index
WHERE (c.code_hash IS NULL OR c.code_hash = v.code_hash)
  AND CASE
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

-- What Sourcify's dialect tells beyond the explorers': the order of the matches, and where the code comes from.

ALTER TABLE verified_contracts ADD COLUMN match_id bigint;
-- JSON of the compiler's {path: {"id"}}; null when stored before it was kept.
ALTER TABLE verified_contracts ADD COLUMN source_ids text;
-- The compiler's source maps; null when stored before they were kept, or when the compiler gives none.
ALTER TABLE verified_contracts ADD COLUMN creation_source_map text;
ALTER TABLE verified_contracts ADD COLUMN runtime_source_map text;

UPDATE verified_contracts v SET match_id = numbered.place
FROM (SELECT address, row_number() OVER (ORDER BY verified_at, address) AS place FROM verified_contracts) numbered
WHERE v.address = numbered.address;
ALTER TABLE verified_contracts ALTER COLUMN match_id SET NOT NULL;
-- Grows with every match that is stored, also with one that replaces another.
ALTER TABLE verified_contracts ALTER COLUMN match_id ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(
  pg_get_serial_sequence('verified_contracts', 'match_id'),
  (SELECT coalesce(max(match_id), 0) + 1 FROM verified_contracts),
  false);
CREATE INDEX verified_contracts_match ON verified_contracts (match_id);

-- As before, with the new columns.
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

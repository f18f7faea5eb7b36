-- When a token was asked for its facts last, how often in a row it left some out, and when it is asked again by itself.
ALTER TABLE tokens
  ADD COLUMN metadata_read_at timestamptz,
  ADD COLUMN metadata_tries smallint NOT NULL DEFAULT 0,
  -- Null: not by itself.
  ADD COLUMN metadata_due timestamptz,
  ADD COLUMN supply_read_at timestamptz,
  ADD COLUMN supply_tries smallint NOT NULL DEFAULT 0,
  ADD COLUMN supply_due timestamptz;

CREATE INDEX tokens_due ON tokens (least(metadata_due, supply_due))
  WHERE metadata_due IS NOT NULL OR supply_due IS NOT NULL;

-- Earlier versions took a time-out or a rate limit for "the contract does not tell": what is missing is asked again.
UPDATE tokens SET metadata_due = now()
WHERE metadata_block IS NOT NULL AND standard <> 1155
  AND (name IS NULL OR symbol IS NULL OR (decimals IS NULL AND standard <> 721));
UPDATE tokens SET supply_due = now() WHERE supply_block IS NOT NULL AND total_supply IS NULL;

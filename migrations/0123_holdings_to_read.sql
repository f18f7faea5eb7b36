-- Of tokens that move ids and are of another standard than ERC-1155: earlier versions took the sum of the ids for the
-- holding as a whole, and did not ask for it.
WITH mixed AS MATERIALIZED (
  SELECT address FROM tokens
  CROSS JOIN LATERAL (SELECT 1 FROM token_id_balances WHERE token = address LIMIT 1) AS moved
  WHERE standard <> 1155
)
UPDATE token_balances AS whole SET block_number = NULL FROM mixed
WHERE whole.token = mixed.address AND EXISTS (
  SELECT 1 FROM token_id_balances AS ids WHERE ids.token = whole.token AND ids.owner = whole.owner);

-- Amounts that nobody can hold: transfers of a contract that does not answer add up to anything.
UPDATE token_id_balances SET block_number = NULL
WHERE block_number IS NOT NULL AND NOT amount BETWEEN 0 AND 2::numeric ^ 256 - 1;
UPDATE token_balances SET block_number = NULL
WHERE block_number IS NOT NULL AND NOT amount BETWEEN 0 AND 2::numeric ^ 256 - 1;

-- Of destroyed contracts no transfers tell that the holdings ended: they are asked for with each request.
UPDATE tokens SET irregular = true, supply_block = NULL, metadata_due = now()
WHERE address IN (SELECT address FROM contract_destructions);

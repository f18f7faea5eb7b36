-- Ids that moved together (ERC-2309). What was read of their collections before they counted is read again.
UPDATE token_balances AS held SET block_number = NULL
FROM (
  SELECT DISTINCT address AS token, substr(word, 13) AS owner
  FROM logs CROSS JOIN LATERAL (VALUES (topic2), (topic3)) AS words (word)
  WHERE index_key(topic0) = index_key('\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'::bytea)
    AND topic0 = '\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'
    AND topic3 IS NOT NULL AND length(data) = 32
) AS moved
JOIN tokens ON address = moved.token AND standard <> 1155
WHERE index_key(held.token || held.owner) = index_key(moved.token || moved.owner)
  AND held.token = moved.token AND held.owner = moved.owner;

UPDATE tokens SET supply_block = NULL WHERE address IN (
  SELECT address FROM logs
  WHERE index_key(topic0) = index_key('\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'::bytea)
    AND topic0 = '\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d');

-- A place of an id that is not published yet hides what moved the id before.
DO $$
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  CREATE OR REPLACE FUNCTION last_nft_transfer(token bytea, token_id numeric) RETURNS SETOF token_transfers
  LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $function$
    SELECT * FROM token_transfers AS f
    WHERE f.standard = 721 AND f.token = $1 AND f.token_id = $2
      AND f.block_number <= (SELECT head_number FROM sync_state)
    ORDER BY f.block_number DESC, f.log_index DESC LIMIT 1
  $function$;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

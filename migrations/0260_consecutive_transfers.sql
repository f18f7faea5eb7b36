-- Ids that moved together (ERC-2309): one log may move 2^256 of them, and is not unfolded.
CREATE TABLE consecutive_transfers (
  token bytea NOT NULL,
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  transaction_index integer NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  first_id numeric NOT NULL,
  last_id numeric NOT NULL,
  PRIMARY KEY (token, block_number, log_index)
);
CREATE INDEX consecutive_transfers_block ON consecutive_transfers (block_number);

INSERT INTO consecutive_transfers
SELECT address, block_number, log_index, transaction_index, substr(topic2, 13), substr(topic3, 13),
  (SELECT sum(get_byte(topic1, place) * trunc(256::numeric ^ (31 - place))) FROM generate_series(0, 31) AS place),
  (SELECT sum(get_byte(data, place) * trunc(256::numeric ^ (31 - place))) FROM generate_series(0, 31) AS place)
FROM logs
WHERE index_key(topic0) = index_key('\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'::bytea)
  AND topic0 = '\xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'
  AND topic3 IS NOT NULL AND length(data) = 32;

-- What was read of their collections before they counted is read again.
UPDATE token_balances AS held SET block_number = NULL
FROM (
  SELECT token, from_address AS owner FROM consecutive_transfers
  UNION SELECT token, to_address FROM consecutive_transfers
) AS moved
JOIN tokens ON address = moved.token AND standard <> 1155
WHERE index_key(held.token || held.owner) = index_key(moved.token || moved.owner)
  AND held.token = moved.token AND held.owner = moved.owner;
UPDATE tokens SET supply_block = NULL WHERE address IN (SELECT token FROM consecutive_transfers);

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

-- Keys with a secret of each database: without it anybody finds words that have the key of another, and rows with such words
-- make its pages slow. PostgreSQL puts the body in the place of each call, in an index as in a query. A database that holds a
-- chain keeps the keys that it has, without a secret, until its operator asks for others (docs/operations/database.md).
--
-- A secret seed of this hash would not be enough: there are differences between texts of hex digits that it forgets with one seed
-- of some millions, whatever the rest. Words of one key must be so in two alphabets at once, the second time from a state that
-- depends on the whole word. The first bytes of an SHA-256 would do the same for 1.2 µs a word more.
CREATE FUNCTION index_key(words bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT pg_catalog.hashtextextended(pg_catalog.encode($1, 'hex'), 0) $$;

CREATE FUNCTION with_index_key(definition text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace($1, 'hashtextextended\(encode\((.*?), ''hex''(?:::text)?\), (?:0(?:::bigint)?|\(0\)::bigint)\)', 'index_key(\1)', 'g')
$$;

-- Functions that ask by keys. On several servers they stand on the coordinator alone.
DO $$
DECLARE definition text;
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  FOR definition IN
    SELECT with_index_key(pg_get_functiondef(oid)) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%hashtextextended(encode(%'
  LOOP
    EXECUTE definition;
  END LOOP;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

-- Gives the keys another secret (0: none), and makes all indexes and statistics of keys anew, in one transaction.
CREATE FUNCTION renew_index_keys(
  secret bigint DEFAULT ('x' || left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 16))::bit(64)::bigint
) RETURNS void LANGUAGE plpgsql AS $renew$
DECLARE made record;
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION index_key(words bytea) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
    format('SELECT pg_catalog.hashtextextended(pg_catalog.encode($1, ''hex''), %s)', CASE WHEN secret = 0 THEN '0'
      ELSE format('pg_catalog.hashtextextended(pg_catalog.encode($1, ''base64''), %s)', secret) END));
  UPDATE deferred_indexes SET definition = with_index_key(definition);
  UPDATE index_builds SET definition = with_index_key(definition);
  FOR made IN
    SELECT kind, name, with_index_key(definition) AS definition FROM (
      SELECT 'INDEX' AS kind, indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition, relnamespace
      FROM pg_index JOIN pg_class ON oid = indexrelid
      UNION ALL
      SELECT 'STATISTICS', format('%I', stxname), pg_get_statisticsobjdef(oid), stxnamespace FROM pg_statistic_ext
    ) AS objects
    WHERE relnamespace = current_schema()::regnamespace AND with_index_key(definition) LIKE '%index_key(%'
    ORDER BY kind, name
  LOOP
    EXECUTE format('DROP %s %s', made.kind, made.name);
    EXECUTE made.definition;
  END LOOP;
  IF EXISTS (SELECT FROM blocks) THEN
    ANALYZE logs, address_internal_transactions, address_token_transfers, token_balances;
  END IF;
END $renew$;

SELECT renew_index_keys() WHERE NOT EXISTS (SELECT FROM blocks);

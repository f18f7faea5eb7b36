-- Whether tables are spread, as the coordinator of several servers tells it (store/distribution.ts): on a worker, whose shards
-- are tables like others, a condition that only tells the coordinator which shards to ask costs nothing then.
DO $$ BEGIN
  IF is_distributed() THEN
    CREATE OR REPLACE FUNCTION is_distributed() RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS 'BEGIN RETURN (SELECT groupid = 0 FROM pg_dist_local_group); END';
  END IF;
END $$;

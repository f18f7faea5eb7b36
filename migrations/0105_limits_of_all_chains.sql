-- The chains of a process verify in one queue, so its limits are for all of them together, and so is the room that is made.

DROP FUNCTION add_verification_job(
  text, bytea, bytea, text, text, text, integer, integer, integer, text[], text, text);

-- The jobs of the chains in these schemas, and of this one, for which a condition holds.
CREATE FUNCTION verification_jobs_of(schemas text[], condition text) RETURNS TABLE (
  schema text, address bytea, guid text, client bytea, created_at timestamptz, busy_ms bigint
) STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE (
    SELECT string_agg(format(
      'SELECT %L::text, address, guid, client, created_at, busy_ms FROM %I.verification_jobs WHERE %s', name, name, condition),
      ' UNION ALL ')
    FROM (SELECT DISTINCT unnest(schemas || current_schema()::text) AS name) names);
END $$;

-- As before (0046, 0060), with `schemas` of the queue's chains. What a client may do for an address counts on this one alone.
CREATE FUNCTION add_verification_job(
  job_guid text, job_address bytea, job_client bytea, job_compiler text, job_compiler_version text, job_request text,
  per_hour integer, waiting_of_client integer, waiting integer,
  -- Failures that do not count, and the one that a displaced job ends with.
  uncounted text[], displaced_failure text, displaced_reason text, schemas text[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  own integer;
  total integer;
  crowd record;
  victim record;
BEGIN
  -- Any constant: it keeps two submissions from counting at the same time.
  PERFORM pg_advisory_xact_lock(7220415010);
  IF (SELECT count(*) FROM verification_jobs
      WHERE address = job_address AND client = job_client AND created_at > now() - interval '1 hour'
        AND (failure IS NULL OR failure <> ALL (uncounted))) >= per_hour THEN
    RETURN 'too-many';
  END IF;
  SELECT count(*), count(*) FILTER (WHERE client = job_client) INTO total, own
    FROM verification_jobs_of(schemas, 'state = ''pending''');
  IF own >= waiting_of_client THEN
    RETURN 'client-full';
  END IF;
  IF total < waiting THEN
    INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, request)
      VALUES (job_guid, job_address, job_client, job_compiler, job_compiler_version, job_request);
    RETURN 'added';
  END IF;
  SELECT client, count(*) AS jobs INTO crowd
    FROM verification_jobs_of(schemas, 'state = ''pending''') GROUP BY client ORDER BY count(*) DESC, client LIMIT 1;
  IF crowd.jobs > own + 1 THEN
    SELECT schema, address, guid INTO victim FROM verification_jobs_of(schemas, 'state = ''pending''')
      WHERE client = crowd.client
      ORDER BY created_at DESC, guid DESC LIMIT 1;
  ELSIF own > 0 OR EXISTS (
      SELECT FROM verification_jobs_of(schemas, format(
        'client = %L AND (started_at > now() - interval ''1 hour'' '
          'OR (failure = %L AND finished_at > now() - interval ''1 hour''))', job_client, displaced_failure))) THEN
    RETURN 'queue-full';
  ELSE
    SELECT waiting_job.schema, waiting_job.address, waiting_job.guid INTO victim
      FROM verification_jobs_of(schemas, 'state = ''pending''') waiting_job
      LEFT JOIN (
        SELECT client, sum(busy_ms) + 1 AS served
        FROM verification_jobs_of(schemas, 'started_at > now() - interval ''1 hour''') GROUP BY client
      ) past ON past.client = waiting_job.client
      ORDER BY coalesce(past.served, 0) DESC, random() LIMIT 1;
  END IF;
  EXECUTE format(
    'UPDATE %I.verification_jobs SET state = ''failed'', finished_at = now(), request = NULL, failure = $1, reason = $2 '
      'WHERE state = ''pending'' AND address = $3 AND guid = $4', victim.schema)
    USING displaced_failure, displaced_reason, victim.address, victim.guid;
  INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, request)
    VALUES (job_guid, job_address, job_client, job_compiler, job_compiler_version, job_request);
  RETURN 'displaced';
END $$;

-- Where the queue is full and of everybody waits as much as of the next one, a client of whom none waits and none was
-- begun within the hour still gets in: the job makes room of the client that was served most, by the time that was
-- worked for it within the hour; of one of them at random where all are equal, so that whoever comes next takes no
-- particular place. Whoever was displaced within the hour displaces nobody: two clients could go on for ever. All else is
-- as before (0046).
CREATE OR REPLACE FUNCTION add_verification_job(
  job_guid text, job_address bytea, job_client bytea, job_compiler text, job_compiler_version text, job_request text,
  per_hour integer, waiting_of_client integer, waiting integer,
  -- Failures that do not count, and the one that a displaced job ends with.
  uncounted text[], displaced_failure text, displaced_reason text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  own integer;
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
  own := (SELECT count(*) FROM verification_jobs WHERE state = 'pending' AND client = job_client);
  IF own >= waiting_of_client THEN
    RETURN 'client-full';
  END IF;
  IF (SELECT count(*) FROM verification_jobs WHERE state = 'pending') < waiting THEN
    INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, request)
      VALUES (job_guid, job_address, job_client, job_compiler, job_compiler_version, job_request);
    RETURN 'added';
  END IF;
  SELECT client, count(*) AS jobs INTO crowd
    FROM verification_jobs WHERE state = 'pending' GROUP BY client ORDER BY count(*) DESC, client LIMIT 1;
  IF crowd.jobs > own + 1 THEN
    SELECT address, guid INTO victim FROM verification_jobs
      WHERE state = 'pending' AND client = crowd.client
      ORDER BY created_at DESC, guid DESC LIMIT 1;
  ELSIF own > 0 OR EXISTS (
      SELECT FROM verification_jobs WHERE client = job_client
        AND (started_at > now() - interval '1 hour'
          OR (failure = displaced_failure AND finished_at > now() - interval '1 hour'))) THEN
    RETURN 'queue-full';
  ELSE
    SELECT waiting_job.address, waiting_job.guid INTO victim
      FROM verification_jobs waiting_job
      LEFT JOIN (
        SELECT client, sum(busy_ms) + 1 AS served FROM verification_jobs
        WHERE started_at > now() - interval '1 hour' GROUP BY client
      ) past ON past.client = waiting_job.client
      WHERE waiting_job.state = 'pending'
      ORDER BY coalesce(past.served, 0) DESC, random() LIMIT 1;
  END IF;
  UPDATE verification_jobs SET state = 'failed', finished_at = now(), request = NULL,
      failure = displaced_failure, reason = displaced_reason
    WHERE state = 'pending' AND address = victim.address AND guid = victim.guid;
  INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, request)
    VALUES (job_guid, job_address, job_client, job_compiler, job_compiler_version, job_request);
  RETURN 'displaced';
END $$;

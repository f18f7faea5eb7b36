-- Who asks for a verification, so that nobody can take the queue from the others.

-- SHA-256 of what the rate limiter knows a client by; empty for jobs from before it was kept.
ALTER TABLE verification_jobs ADD COLUMN client bytea NOT NULL DEFAULT '';
-- When it was begun last; null before that.
ALTER TABLE verification_jobs ADD COLUMN started_at timestamptz;
-- How long it was worked on, without what still runs.
ALTER TABLE verification_jobs ADD COLUMN busy_ms bigint NOT NULL DEFAULT 0;
CREATE INDEX verification_jobs_started ON verification_jobs (started_at);

DROP FUNCTION add_verification_job(text, bytea, text, text, text, integer, integer);

-- Adds a job ('added'), or tells which limit it would exceed: 'too-many' of the client for the address, 'client-full' for
-- jobs of the client that wait, 'queue-full'. Where the queue is full, a client of which few jobs wait takes the place of
-- the newest job of the client of which most wait ('displaced'). A function, so that the jobs are counted after the lock
-- was had: within one statement they would be counted as they were before.
CREATE FUNCTION add_verification_job(
  job_guid text, job_address bytea, job_client bytea, job_compiler text, job_compiler_version text, job_request text,
  per_hour integer, waiting_of_client integer, waiting integer,
  -- Failures that do not count, and the one that a displaced job ends with.
  uncounted text[], displaced_failure text, displaced_reason text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  own integer;
  crowd record;
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
  IF crowd.jobs <= own + 1 THEN
    RETURN 'queue-full';
  END IF;
  UPDATE verification_jobs SET state = 'failed', finished_at = now(), request = NULL,
      failure = displaced_failure, reason = displaced_reason
    WHERE state = 'pending' AND (address, guid) = (
      SELECT address, guid FROM verification_jobs
      WHERE state = 'pending' AND client = crowd.client
      ORDER BY created_at DESC, guid DESC LIMIT 1);
  INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, request)
    VALUES (job_guid, job_address, job_client, job_compiler, job_compiler_version, job_request);
  RETURN 'displaced';
END $$;

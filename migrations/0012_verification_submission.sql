-- Adds a job, or tells which limit it would exceed: 'added', 'too-many', 'queue-full'. A function, so that the jobs are
-- counted after the lock was had: within one statement they would be counted as they were before.
CREATE FUNCTION add_verification_job(
  job_guid text, job_address bytea, job_compiler text, job_compiler_version text, job_request text,
  per_hour integer, waiting integer
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  -- Any constant: it keeps two submissions from counting at the same time.
  PERFORM pg_advisory_xact_lock(7220415010);
  IF (SELECT count(*) FROM verification_jobs
      WHERE address = job_address AND created_at > now() - interval '1 hour') >= per_hour THEN
    RETURN 'too-many';
  END IF;
  IF (SELECT count(*) FROM verification_jobs WHERE state = 'pending') >= waiting THEN
    RETURN 'queue-full';
  END IF;
  INSERT INTO verification_jobs (guid, address, compiler, compiler_version, request)
    VALUES (job_guid, job_address, job_compiler, job_compiler_version, job_request);
  RETURN 'added';
END $$;

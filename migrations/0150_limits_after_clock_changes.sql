-- What the database's clock says of a submission is not believed where it lies ahead: the clock was set back since, and for as
-- long nobody could submit anything more (functions of 0105, which stay as they are otherwise). A minute is left to
-- submissions that wait for one another.

DO $$
BEGIN
  EXECUTE regexp_replace(
    pg_get_functiondef('add_verification_job'::regproc),
    '(created_at|started_at|finished_at) > now\(\) - interval (''+)1 hour\2',
    '\1 BETWEEN now() - interval \21 hour\2 AND now() + interval \21 minute\2', 'g');
END $$;

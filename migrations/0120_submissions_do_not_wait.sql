-- A submission counts the waiting jobs of all chains of a queue: it must not wait for a table of another one that is locked.

ALTER FUNCTION add_verification_job(
  text, bytea, bytea, text, text, text, integer, integer, integer, text[], text, text, text[]
) SET lock_timeout = '2s';

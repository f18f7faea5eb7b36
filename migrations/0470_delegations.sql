-- Which accounts delegate their code (EIP-7702), for one server and for several: the authorizations of transactions, with the accounts
-- that signed them. Those of a head are written with its block, those of a load and of an earlier version after it.
CREATE TABLE delegations (
  authority bytea NOT NULL,
  block_number bigint NOT NULL,
  transaction_index integer NOT NULL,
  position integer NOT NULL,
  delegate bytea NOT NULL,
  nonce numeric NOT NULL,
  PRIMARY KEY (authority, nonce, block_number, transaction_index, position)
);
CREATE INDEX delegations_block ON delegations (block_number);
-- The authorizations up to this block are written.
ALTER TABLE sync_state ADD COLUMN delegations_to bigint NOT NULL DEFAULT -1;
SELECT replace_index('transactions_authorizing', 'transactions_authorizing', 'transactions', '(block_number) WHERE type = 4');

-- As before (0124); an account's target is outdated by its next authorization.
CREATE OR REPLACE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
    SELECT 1 FROM implementation_changes c
    WHERE c.address IN (p.address, p.beacon) AND c.block_number > p.block_number AND c.block_number <= s.head_number)
  AND NOT EXISTS (
    SELECT 1 FROM contracts c
    WHERE c.address IN (p.address, p.beacon) AND c.block_number > p.block_number AND c.block_number <= s.head_number)
  AND NOT EXISTS (
    SELECT 1 FROM delegations d
    WHERE d.authority = p.address AND d.block_number > p.block_number AND d.block_number <= s.head_number);

-- Code also changes where an account delegates to another contract, or no longer. On several servers the functions stand on the
-- coordinator alone.
DO $$
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
  ALTER FUNCTION changed_code RENAME TO changed_contracts;
  CREATE FUNCTION changed_code(first_block bigint, last_block bigint) RETURNS TABLE (address bytea, replaced boolean)
  LANGUAGE plpgsql STABLE ROWS 10 AS $function$
  BEGIN
    RETURN QUERY
      SELECT * FROM changed_contracts($1, $2)
      UNION
      SELECT d.authority, true FROM delegations AS d WHERE d.block_number BETWEEN $1 AND $2;
  END $function$;
  PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
END $$;

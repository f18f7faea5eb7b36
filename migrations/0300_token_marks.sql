-- Tokens whose contracts say otherwise than their transfers. For one server and for several: the tables of state stand on the
-- coordinator, and what is deleted of the system address is deleted on all servers.
ALTER TABLE tokens
  -- Holdings that were read before this block are to be read again. Null: none.
  ADD COLUMN stale_block bigint,
  -- When they are due; '-infinity' for those of an earlier version, which come last.
  ADD COLUMN stale_since timestamptz,
  -- When all holdings were read last.
  ADD COLUMN swept_at timestamptz,
  -- How often in a row all holdings were as stored, counted up to 3.
  ADD COLUMN agreements smallint NOT NULL DEFAULT 0,
  -- Why a token is irregular.
  ADD COLUMN mark_reason text,
  -- The block from which the token's logs are still to be looked through for holders. Null: none.
  ADD COLUMN unnamed_from bigint DEFAULT 0;
CREATE INDEX tokens_stale ON tokens (stale_since) WHERE stale_block IS NOT NULL;
CREATE INDEX tokens_unnamed ON tokens (address) WHERE unnamed_from IS NOT NULL;
CREATE INDEX tokens_irregular ON tokens (swept_at) WHERE irregular;

-- What an earlier version believed is read again while the chain is served: holdings, supply, name, decimals and standard.
UPDATE tokens SET stale_block = head_number, stale_since = '-infinity', supply_block = NULL, metadata_due = '-infinity',
  mark_reason = CASE WHEN irregular THEN 'holding' END
FROM sync_state WHERE head_number IS NOT NULL;

-- The logs of coin transfers (EIP-7708) are those of no token.
DO $$
DECLARE
  system CONSTANT bytea := '\xfffffffffffffffffffffffffffffffffffffffe';
BEGIN
  IF NOT EXISTS (SELECT FROM tokens WHERE address = system) THEN RETURN; END IF;
  DELETE FROM address_token_transfers WHERE token = system;
  DELETE FROM token_transfers WHERE token = system;
  DELETE FROM token_balances WHERE index_key(token) = index_key(system) AND token = system;
  DELETE FROM tokens WHERE address = system;
END $$;

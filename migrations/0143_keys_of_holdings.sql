-- Eight bytes in the place of a token and an owner. No statement asks that a holding be there once: known ones are updated and
-- new ones inserted by one writer, in one transaction. All holdings of a token, whatever their amount, are found by an index
-- of their own; the primary key goes when it stands, after the one of the keys.
CREATE STATISTICS token_balances_token_key (dependencies) ON token, (hashtextextended(encode(token, 'hex'), 0)) FROM token_balances;
CREATE STATISTICS token_balances_owner_key (dependencies) ON owner, (hashtextextended(encode(owner, 'hex'), 0)) FROM token_balances;
DO $$ BEGIN
  IF EXISTS (SELECT FROM blocks) THEN
    ANALYZE token_balances;
  END IF;
END $$;

SELECT replace_index('token_balances_holders', 'token_balances_holders', 'token_balances',
  '(hashtextextended(encode(token, ''hex''), 0), amount DESC, owner DESC) WHERE amount > 0');
SELECT replace_index('token_balances_key', 'token_balances_key', 'token_balances',
  '(hashtextextended(encode(token || owner, ''hex''), 0))');
SELECT replace_index('token_balances_owner', 'token_balances_owner', 'token_balances',
  '(hashtextextended(encode(owner, ''hex''), 0), token) WHERE amount > 0');
SELECT replace_index('token_balances_pkey', 'token_balances_token', 'token_balances', '(token)');

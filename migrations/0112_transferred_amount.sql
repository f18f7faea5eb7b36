-- A name that says what it is: what the transfers of a holding add up to, where the contract says otherwise. Servers of
-- an earlier version do not read it.
ALTER TABLE token_balances RENAME COLUMN told TO transferred_amount;
ALTER TABLE token_id_balances RENAME COLUMN told TO transferred_amount;

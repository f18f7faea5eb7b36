-- As in address_transactions: lists by sender or receiver read the activity alone. A transfer to oneself has both sides.
-- The rows of before are given theirs by the next migration, while they are read.
ALTER TABLE address_token_transfers ADD COLUMN sides smallint NOT NULL DEFAULT 0;
ALTER TABLE address_token_transfers ALTER COLUMN sides DROP DEFAULT;

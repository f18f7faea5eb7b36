-- What the transfers of a holding add up to, where the contract says otherwise: null where both are the same.
ALTER TABLE token_balances ADD COLUMN told numeric;
ALTER TABLE token_id_balances ADD COLUMN told numeric;

CREATE TEMPORARY TABLE told ON COMMIT DROP AS
SELECT token, owner, CASE WHEN t.standard = 1155 THEN token_id END AS token_id,
  sum(side.sign * CASE t.standard WHEN 721 THEN 1 ELSE coalesce(amount, 0) END) AS amount
FROM tokens
JOIN token_transfers AS t ON token = address
CROSS JOIN LATERAL (VALUES (from_address, -1), (to_address, 1)) AS side (owner, sign)
WHERE irregular AND block_number <= (SELECT head_number FROM sync_state WHERE start_block = 0)
GROUP BY 1, 2, 3;

UPDATE token_id_balances AS held SET told = told.amount FROM told
WHERE (held.token, held.owner, held.token_id) = (told.token, told.owner, told.token_id) AND held.amount <> told.amount;
UPDATE token_balances AS held SET told = told.amount
FROM (SELECT token, owner, sum(amount) AS amount FROM told GROUP BY 1, 2) AS told
WHERE (held.token, held.owner) = (told.token, told.owner) AND held.amount <> told.amount;

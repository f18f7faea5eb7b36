-- What a failure around it, or that of the transaction, rolled back: until now a creation kept its address and an
-- address its place among the accounts, though nothing else names it; a transaction that failed without a word in its
-- trace kept everything. Looks through internal_transactions once.

CREATE TEMPORARY TABLE rolled_back ON COMMIT DROP AS
SELECT i.block_number, i.transaction_index, i.position, i.from_address, i.to_address, i.created_contract, i.effective
FROM internal_transactions i
JOIN transactions t USING (block_number, transaction_index)
WHERE NOT i.effective OR t.status = 0;

UPDATE internal_transactions i SET effective = false, created_contract = NULL
FROM rolled_back r
WHERE (i.block_number, i.transaction_index, i.position) = (r.block_number, r.transaction_index, r.position)
  AND (r.effective OR r.created_contract IS NOT NULL);

-- Side 4 is that of the created contract.
UPDATE address_internal_transactions a SET sides = a.sides & 3
FROM rolled_back r
WHERE a.address = r.created_contract AND a.sides & 4 <> 0
  AND (a.block_number, a.transaction_index, a.position) = (r.block_number, r.transaction_index, r.position);
DELETE FROM address_internal_transactions a
USING rolled_back r
WHERE a.address = r.created_contract AND a.sides = 0
  AND (a.block_number, a.transaction_index, a.position) = (r.block_number, r.transaction_index, r.position);

DELETE FROM contracts c USING rolled_back r
WHERE (c.block_number, c.transaction_index, c.position) = (r.block_number, r.transaction_index, r.position);
DELETE FROM contract_destructions c USING rolled_back r
WHERE (c.block_number, c.transaction_index, c.position) = (r.block_number, r.transaction_index, r.position);

-- Before Byzantium the receipt of a failed creation names the contract all the same; its trace has the error.
CREATE TEMPORARY TABLE never_made ON COMMIT DROP AS
SELECT block_number, transaction_index, created_contract FROM transactions
WHERE status IS NULL AND error IS NOT NULL AND created_contract IS NOT NULL;

UPDATE transactions t SET created_contract = NULL
FROM never_made n WHERE (t.block_number, t.transaction_index) = (n.block_number, n.transaction_index);
UPDATE address_transactions a SET sides = a.sides & 3
FROM never_made n
WHERE a.address = n.created_contract AND a.sides & 4 <> 0
  AND (a.block_number, a.transaction_index) = (n.block_number, n.transaction_index);
DELETE FROM address_transactions a
USING never_made n
WHERE a.address = n.created_contract AND a.sides = 0
  AND (a.block_number, a.transaction_index) = (n.block_number, n.transaction_index);

-- The first published block that still names an address that they named.
CREATE TEMPORARY TABLE suspects ON COMMIT DROP AS
SELECT address, least(
    (SELECT min(number) FROM blocks WHERE miner = address),
    (SELECT min(block_number) FROM address_transactions a WHERE a.address = suspect.address),
    (SELECT min(block_number) FROM address_token_transfers a WHERE a.address = suspect.address),
    (SELECT min(block_number) FROM withdrawals w WHERE w.address = suspect.address),
    (SELECT min(a.block_number) FROM address_internal_transactions a
      JOIN internal_transactions i USING (block_number, transaction_index, position)
      WHERE a.address = suspect.address AND i.effective)
  ) AS first_block
FROM (
  SELECT from_address AS address FROM rolled_back
  UNION SELECT to_address FROM rolled_back
  UNION SELECT created_contract FROM rolled_back
  UNION SELECT created_contract FROM never_made
) AS suspect
WHERE address IS NOT NULL;

UPDATE addresses a SET first_block = s.first_block FROM suspects s
WHERE a.address = s.address AND s.first_block <> a.first_block
  AND s.first_block <= (SELECT head_number FROM sync_state);
WITH gone AS (
  DELETE FROM addresses a USING suspects s
  WHERE a.address = s.address
    AND (s.first_block IS NULL OR s.first_block > (SELECT head_number FROM sync_state))
  RETURNING a.balance
)
UPDATE sync_state SET coin_supply = coin_supply - (SELECT coalesce(sum(balance), 0) FROM gone);

UPDATE daily_statistics d SET new_addresses = coalesce(counted.addresses, 0)
FROM daily_statistics every
LEFT JOIN (
  -- Times behind the last that a date can have count as that, as the indexer counts them.
  SELECT (to_timestamp(least(b.timestamp, 253402300799)) AT TIME ZONE 'UTC')::date AS day, count(*) AS addresses
  FROM addresses a JOIN blocks b ON b.number = a.first_block
  GROUP BY 1
) AS counted USING (day)
WHERE d.day = every.day AND d.new_addresses <> coalesce(counted.addresses, 0);

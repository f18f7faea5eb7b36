-- Which code changed in the blocks from one to another, as functions: a statement may ask them beside rows that are spread over
-- several servers, and needs no answer before the next one is sent.

-- Contracts of which other code answers: those that the blocks destroyed, and tokens that they made at the address of an earlier
-- contract (`replaced`); proxies that they upgraded; and what is behind beacons that they upgraded, as its logs say
-- (`BeaconUpgraded`, ERC-1967). What is upgraded may be no beacon, and named by any number of logs: 1,000 are looked at, the oldest
-- first. What is behind a new beacon names it in the blocks themselves, and a first load has no index of topics.
CREATE FUNCTION changed_code(first_block bigint, last_block bigint) RETURNS TABLE (address bytea, replaced boolean)
LANGUAGE plpgsql STABLE ROWS 10 AS $$
#variable_conflict use_column
DECLARE
  upgraded bytea;
BEGIN
  RETURN QUERY
    SELECT d.address, true FROM contract_destructions AS d WHERE d.block_number BETWEEN $1 AND $2
    UNION
    SELECT c.address, true FROM contracts AS c JOIN tokens AS t ON t.address = c.address
      WHERE c.block_number BETWEEN $1 AND $2 AND t.first_block < c.block_number
    UNION
    SELECT i.address, false FROM implementation_changes AS i WHERE i.block_number BETWEEN $1 AND $2;
  FOR upgraded IN
    SELECT DISTINCT i.address FROM implementation_changes AS i CROSS JOIN sync_state
    WHERE i.block_number BETWEEN $1 AND $2 AND indexed AND NOT EXISTS (
      SELECT 1 FROM contracts AS c WHERE c.address = i.address AND c.block_number BETWEEN $1 AND $2)
  LOOP
    RETURN QUERY
      SELECT naming.address, false FROM (
        SELECT l.address, l.topic0, l.topic1 FROM logs AS l
        WHERE hashtextextended(encode(l.topic1, 'hex'), 0)
          = ANY (ARRAY[hashtextextended(encode('\x000000000000000000000000'::bytea || upgraded, 'hex'), 0)])
        ORDER BY hashtextextended(encode(l.topic1, 'hex'), 0), l.block_number LIMIT 1000
      ) AS naming
      WHERE naming.topic0 = '\x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e'
        AND naming.topic1 = '\x000000000000000000000000'::bytea || upgraded;
  END LOOP;
END $$;

-- Holdings above 0 of the tokens that other code answers for, at most so many: first those of tokens with few holders; of one
-- token the largest, where ids do not count.
CREATE FUNCTION changed_holdings(first_block bigint, last_block bigint, maximum integer)
RETURNS TABLE (token bytea, owner bytea, token_id numeric)
LANGUAGE plpgsql STABLE ROWS 10 AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT held.* FROM (
      SELECT t.address, t.standard FROM tokens AS t
      WHERE t.address IN (SELECT c.address FROM changed_code($1, $2) AS c)
      ORDER BY t.holder_count, t.address
    ) AS changed CROSS JOIN LATERAL (
      (SELECT b.token, b.owner, NULL::numeric AS token_id FROM token_balances AS b
        WHERE changed.standard <> 1155 AND b.token = changed.address AND b.amount > 0
          AND hashtextextended(encode(b.token, 'hex'), 0) = hashtextextended(encode(changed.address, 'hex'), 0)
        ORDER BY b.amount DESC, b.owner DESC LIMIT $3)
      UNION ALL
      (SELECT b.token, b.owner, b.token_id FROM token_id_balances AS b
        WHERE changed.standard = 1155 AND b.token = changed.address AND b.amount > 0
        ORDER BY b.owner, b.token_id LIMIT $3)
    ) AS held LIMIT $3;
END $$;

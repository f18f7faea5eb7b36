-- For one server and for several. The place of the transaction of a hash: Ethermint chains list a transaction that failed
-- for want of gas in a block again in a later one, under the same hash. By hash the one that ran is served, else the newest;
-- lists show both.
CREATE FUNCTION transaction_place(transaction_hash bytea)
RETURNS TABLE (hash bytea, block_number bigint, transaction_index integer)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT p.hash, p.block_number, p.transaction_index
  FROM (
    SELECT h.hash, h.block_number, h.transaction_index, count(*) OVER () AS places
    FROM transaction_places($1) AS h WHERE h.block_number <= (SELECT head_number FROM sync_state)
  ) AS p
  LEFT JOIN LATERAL transaction_at(CASE WHEN p.places > 1 THEN p.block_number END, p.transaction_index) AS t ON true
  ORDER BY (t.status = 1) IS TRUE DESC, p.block_number DESC, p.transaction_index DESC
  LIMIT 1
$$;

-- Where the times of blocks go back, a time alone does not bound block numbers (`inTimes` in store/address-transactions.ts). The
-- latest time of the published blocks, and the most seconds that one was below the latest time before it. A roll-back leaves both:
-- a greater distance bounds less narrowly, and not wrongly.
ALTER TABLE sync_state ADD COLUMN latest_timestamp bigint, ADD COLUMN times_back bigint NOT NULL DEFAULT 0;

UPDATE sync_state SET (latest_timestamp, times_back) = (
  SELECT max(latest), coalesce(max(latest - timestamp), 0)
  FROM (SELECT timestamp, max(timestamp) OVER (ORDER BY number) AS latest FROM blocks WHERE number <= head_number) AS published);

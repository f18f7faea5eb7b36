-- How many rows of blocks that are not published yet went to tables on several servers: see store/recorded-rows.ts. Empty
-- where all tables are on one.
CREATE TABLE recorded_rows (
  -- Of a range that was recorded at once.
  first_block bigint NOT NULL,
  table_name text NOT NULL,
  row_count bigint NOT NULL,
  PRIMARY KEY (first_block, table_name)
);

-- Whether tables are spread over several servers.
CREATE FUNCTION is_distributed() RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT false';

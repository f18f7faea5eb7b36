-- A row without its transfer was left by an interrupted recording, and is deleted with what stands above the head.
DO $$ BEGIN
  -- Where the tables are spread over several servers, Citus refuses this: such a chain is indexed anew.
  IF EXISTS (SELECT 1 FROM sync_state) THEN
    UPDATE address_token_transfers AS activity
    SET sides = (activity.address = f.from_address)::int + 2 * (activity.address = f.to_address)::int
    FROM token_transfers AS f
    WHERE (f.block_number, f.log_index, f.batch_index) = (activity.block_number, activity.log_index, activity.batch_index);
  END IF;
END $$;

-- Names this index: one made anew may answer otherwise at the same block, so clients may not keep their answers.
ALTER TABLE sync_state ADD COLUMN index_id text NOT NULL DEFAULT gen_random_uuid()::text;

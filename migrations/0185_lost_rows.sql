-- Of tables on several servers (store/recorded-rows.ts): which servers the rows of published blocks were last counted on, and
-- what was missing then. While something is missing nothing is answered.
ALTER TABLE sync_state ADD COLUMN servers text, ADD COLUMN lost_rows text;

-- What is noted outlives the publication of its blocks. What was noted before is of unpublished blocks, which are recorded anew.
DELETE FROM recorded_rows;
ALTER TABLE recorded_rows ADD COLUMN last_block bigint NOT NULL;

-- Numbers that the chain has no block of (Filecoin's null rounds), for one server and for several.
CREATE TABLE left_out_blocks (block_number bigint PRIMARY KEY);

-- The block of a token's last transfer, which nothing has read.
ALTER TABLE nft_owners DROP COLUMN block_number;

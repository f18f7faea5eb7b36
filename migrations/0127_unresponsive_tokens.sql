-- Whether the node gets stuck in the contract: it was asked alone and left without an answer, while the node made another
-- call. Its transfers are believed then, until it answers.
ALTER TABLE tokens ADD COLUMN unresponsive boolean NOT NULL DEFAULT false;
CREATE INDEX tokens_unresponsive ON tokens (address) WHERE unresponsive;

-- PostgreSQL takes no statistics from partial indexes. Without these it takes every key for one of 200, and may read and sort
-- all logs of a key rather than the first of them in the order of the index.
CREATE STATISTICS logs_address_topic0_key ON (hashtextextended(encode(address || topic0, 'hex'), 0)) FROM logs;
CREATE STATISTICS logs_topic0_key ON (hashtextextended(encode(topic0, 'hex'), 0)) FROM logs;
CREATE STATISTICS logs_topic1_key ON (hashtextextended(encode(topic1, 'hex'), 0)) FROM logs;
CREATE STATISTICS logs_topic2_key ON (hashtextextended(encode(topic2, 'hex'), 0)) FROM logs;
CREATE STATISTICS logs_topic3_key ON (hashtextextended(encode(topic3, 'hex'), 0)) FROM logs;

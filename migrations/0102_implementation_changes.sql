-- Events by which a proxy or a beacon tells of another implementation: Upgraded, BeaconUpgraded, ChangedMasterCopy,
-- DiamondCut. They are few, and asked for with every name of a called function.
CREATE TABLE implementation_changes (
  address bytea NOT NULL,
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  PRIMARY KEY (address, block_number, log_index)
);
CREATE INDEX implementation_changes_block ON implementation_changes (block_number);

INSERT INTO implementation_changes (address, block_number, log_index)
SELECT address, block_number, log_index
FROM logs
WHERE hashtextextended(encode(topic0, 'hex'), 0) IN (
    hashtextextended('bc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b', 0),
    hashtextextended('1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e', 0),
    hashtextextended('75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8', 0),
    hashtextextended('8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673', 0))
  AND topic0 IN (
    '\xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b',
    '\x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e',
    '\x75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8',
    '\x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673');

CREATE OR REPLACE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
  SELECT 1 FROM implementation_changes c
  WHERE c.address IN (p.address, p.beacon) AND c.block_number > p.block_number AND c.block_number <= s.head_number);
DROP FUNCTION logs_of_event(bytea, bytea);

-- The proxies whose answer still stands: it was read at a block of the indexed chain, and neither they nor their
-- beacons told of a change since (Upgraded, BeaconUpgraded, ChangedMasterCopy, DiamondCut). Asks for each event by
-- itself: a busy proxy emits millions of others.
CREATE OR REPLACE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
  SELECT FROM (VALUES (p.address), (p.beacon)) AS emitter (address)
  CROSS JOIN (VALUES
    ('\xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b'::bytea),
    ('\x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e'),
    ('\x75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8'),
    ('\x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673')) AS event (topic0)
  JOIN logs l ON hashtextextended(encode(l.address || l.topic0, 'hex'), 0)
      = hashtextextended(encode(emitter.address || event.topic0, 'hex'), 0)
    AND l.address = emitter.address AND l.topic0 = event.topic0
  WHERE l.block_number > p.block_number AND l.block_number <= s.head_number);

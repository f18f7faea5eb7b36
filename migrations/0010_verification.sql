-- Verified sources, the jobs that verify them, and what is known of proxies.

-- What was proven of the code at an address. Whether it holds for the code that is there now is not a column: ask
-- valid_verified_contracts.
CREATE TABLE verified_contracts (
  address bytea PRIMARY KEY,
  verified_at timestamptz NOT NULL,
  -- keccak-256 of the runtime code.
  code_hash bytea NOT NULL,
  -- Hash of the transaction that created the contract; null when none did that is indexed (genesis, no traces).
  creation_transaction bytea,
  -- The block the code was read at.
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL,
  -- full, partial, or null for no match; one of the two is not null.
  runtime_match text,
  creation_match text,
  language text NOT NULL,
  -- The form of the request: flattened, standard-json, metadata-files, vyper, vyper-json.
  format text NOT NULL,
  compiler_version text NOT NULL,
  -- Null: the compiler's default.
  evm_version text,
  -- Null: the settings do not speak of it.
  optimizer_enabled boolean,
  optimizer_runs bigint,
  license smallint,
  file_path text NOT NULL,
  contract_name text NOT NULL,
  -- In the order they were sent: [{"path", "hash"}], hash the key of source_texts in hex.
  sources text NOT NULL,
  settings text NOT NULL,
  -- [{"name", "address"}]
  libraries text NOT NULL,
  constructor_arguments bytea,
  abi text NOT NULL,
  metadata text NOT NULL,
  -- Where the metadata hash on chain points: ipfs://…, bzzr://…; empty when there is none.
  metadata_uri text NOT NULL,
  -- Further outputs of the compiler: devdoc, userdoc, layouts, method identifiers.
  outputs text NOT NULL,
  -- Selector in hex to the function with its parameters' names.
  methods jsonb NOT NULL,
  -- Compiled codes with their open places, and how the codes on chain follow from them.
  compilation text NOT NULL,
  -- What finds other deployments of the same source: length, hash outside the mask, the mask. Null without a match of
  -- the runtime code.
  runtime_length integer,
  blanked_hash bytea,
  mask text
);
CREATE INDEX verified_contracts_time ON verified_contracts (verified_at, address);
CREATE INDEX verified_contracts_length ON verified_contracts (runtime_length) WHERE runtime_length IS NOT NULL;

-- UTF-8 by SHA-256: a library file that a thousand contracts use is kept once.
CREATE TABLE source_texts (
  hash bytea PRIMARY KEY,
  text bytea NOT NULL
);

-- The verified contracts whose code is the one that stands on the indexed chain now: the newest creation of the address
-- is the transaction they were verified for and left the same code. What has no creation in the index must have been
-- read at a block that is still part of the chain, and not have been created since.
CREATE VIEW valid_verified_contracts AS
SELECT v.*
FROM verified_contracts v
CROSS JOIN sync_state s
LEFT JOIN LATERAL (
  SELECT block_number, transaction_index, code_hash FROM contracts
  WHERE address = v.address AND block_number <= s.head_number
  ORDER BY block_number DESC, transaction_index DESC, position DESC
  LIMIT 1
) c ON true
LEFT JOIN transactions t
  ON t.block_number = c.block_number AND t.transaction_index = c.transaction_index
WHERE (c.code_hash IS NULL OR c.code_hash = v.code_hash)
  AND CASE
    WHEN v.creation_transaction IS NOT NULL THEN t.hash = v.creation_transaction
    ELSE coalesce(c.block_number, 0) <= v.block_number AND EXISTS (
      SELECT FROM blocks b
      WHERE b.number = v.block_number AND b.number <= s.head_number AND b.hash = v.block_hash)
  END;

CREATE TABLE verification_jobs (
  -- The address first, then what is unique.
  guid text NOT NULL,
  address bytea NOT NULL,
  -- pending, running, passed, failed.
  state text NOT NULL DEFAULT 'pending',
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- How often it was begun: what runs on behalf of an earlier beginning no longer counts.
  attempts integer NOT NULL DEFAULT 0,
  -- While running: from then on whoever ran it counts as gone.
  lease_until timestamptz,
  -- The compiler asked for: solc or vyper, and its version as written in the request.
  compiler text NOT NULL,
  compiler_version text NOT NULL,
  -- The request as JSON; null when finished.
  request text,
  -- When failed: the code and the sentence of the reason.
  failure text,
  reason text,
  PRIMARY KEY (address, guid)
);
CREATE INDEX verification_jobs_open ON verification_jobs (state, created_at) WHERE state IN ('pending', 'running');
CREATE INDEX verification_jobs_address ON verification_jobs (address, created_at);
CREATE INDEX verification_jobs_finished ON verification_jobs (finished_at);
-- At most one of an address runs.
CREATE UNIQUE INDEX verification_jobs_running ON verification_jobs (address) WHERE state = 'running';

-- What a contract delegates to, as read at a block.
CREATE TABLE proxies (
  address bytea PRIMARY KEY,
  kind text NOT NULL,
  -- JSON lists of addresses.
  implementations jsonb NOT NULL,
  conflicts jsonb NOT NULL,
  -- Whoever names the implementation instead of the proxy itself; its events count too.
  beacon bytea,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL
);

-- The proxies whose answer still stands: it was read at a block of the indexed chain, and neither they nor their
-- beacons told of a change since (Upgraded, BeaconUpgraded, ChangedMasterCopy, DiamondCut).
CREATE VIEW valid_proxies AS
SELECT p.*
FROM proxies p
CROSS JOIN sync_state s
JOIN blocks b ON b.number = p.block_number AND b.hash = p.block_hash AND b.number <= s.head_number
WHERE NOT EXISTS (
  SELECT FROM logs l
  WHERE l.address IN (p.address, p.beacon)
    AND l.block_number > p.block_number AND l.block_number <= s.head_number
    AND substr(l.topic0, 1, 8) IN (
      '\xbc7cd75a20ee27fd', '\x1cf3b03a6cf19fa2', '\x75e41bc35ff1bf14', '\x8faa70878671ccd2')
    AND l.topic0 IN (
      '\xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b',
      '\x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e',
      '\x75e41bc35ff1bf14d81d1d2f649c0084a0f974f9289c803ec9898eeec4c8d0b8',
      '\x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673'));

-- Outcomes of proxy checks, for those who ask by guid. No implementations: none was found.
CREATE TABLE proxy_checks (
  guid text NOT NULL,
  address bytea NOT NULL,
  implementations jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (address, guid)
);
CREATE INDEX proxy_checks_created ON proxy_checks (created_at);

import type { Hex } from "../../src/core/evm/hex.ts";

// 1,500 blocks of 20 transactions. Address 1 sends one transaction of each block, and token 5 with it; contract 77 emits every log of the
// last tenth and none before; topic 0 has few values, topics 1 and 2 many.

export const BLOCKS = 1_500;

/** SQL that fills an empty database. */
export const WORLD_OF_LISTS = `
  CREATE FUNCTION addr(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT '\\x00'::bytea || int8send(n) || '\\xaaaaaaaaaaaaaaaaaaaaaa'::bytea $$;
  CREATE FUNCTION word(n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT '\\x000000000000000000000000'::bytea || addr(n) $$;
  SELECT setseed(0.5);
  INSERT INTO sync_state (chain_id, start_block, genesis_hash, head_number, head_hash, head_timestamp, traced)
    VALUES (1, 0, '\\x00', ${BLOCKS - 1}, '\\x00', ${BLOCKS * 12}, true);
  INSERT INTO blocks SELECT n, word(n), word(n - 1), n * 12, addr(n % 2), 0, 1, 1, 1, 1, 20, 1, 1
    FROM generate_series(0, ${BLOCKS - 1}) n;
  INSERT INTO transactions
    SELECT b, i, word(b * 100 + i), 2, CASE WHEN i = 0 THEN addr(1) ELSE addr((random() * 999)::int) END,
      addr((random() * 999)::int), NULL, b, 1, 1, 1, NULL, NULL, 1, 1, 1, '\\x', NULL, NULL, 1, '\\x', '\\x', NULL
    FROM generate_series(0, ${BLOCKS - 1}) b, generate_series(0, 19) i;
  INSERT INTO address_transactions
    SELECT address, block_number, transaction_index, sum(side) FROM (
      SELECT from_address AS address, block_number, transaction_index, 1 AS side FROM transactions
      UNION ALL SELECT to_address, block_number, transaction_index, 2 FROM transactions) s
    GROUP BY 1, 2, 3;
  INSERT INTO logs
    SELECT block_number, transaction_index, transaction_index,
      CASE WHEN block_number > ${BLOCKS * 0.9} THEN addr(77) WHEN transaction_index = 0 THEN addr(5)
        ELSE addr((random() * 9)::int) END,
      word((random() * 2)::int), CASE WHEN transaction_index = 0 THEN word(1) ELSE word((random() * 999)::int) END,
      word((random() * 999)::int), NULL, '\\x'
    FROM transactions;
  INSERT INTO token_transfers
    SELECT block_number, log_index, 0, transaction_index, address, 20, substr(topic1, 13), substr(topic2, 13), NULL, 1
    FROM logs;
  INSERT INTO address_token_transfers
    SELECT address, 20, block_number, log_index, 0, token, sum(side) FROM (
      SELECT from_address AS address, block_number, log_index, token, 1 AS side FROM token_transfers
      UNION ALL SELECT to_address, block_number, log_index, token, 2 FROM token_transfers) s
    GROUP BY 1, 2, 3, 4, 5, 6;
  INSERT INTO internal_transactions
    SELECT block_number, transaction_index, 1, '{0}', 'call', 'call', from_address, to_address, NULL,
      CASE WHEN transaction_index IN (0, 7) THEN 5 ELSE 0 END, 1, 1, '\\x', NULL, true
    FROM transactions;
  INSERT INTO address_internal_transactions (address, block_number, transaction_index, position, sides, valued)
    SELECT address, block_number, transaction_index, 1, sum(side), bool_or(value > 0) FROM (
      SELECT from_address AS address, block_number, transaction_index, value, 1 AS side FROM internal_transactions
      UNION ALL SELECT to_address, block_number, transaction_index, value, 2 FROM internal_transactions) s
    GROUP BY 1, 2, 3;
  INSERT INTO withdrawals SELECT n % ${BLOCKS}, n, 1, addr(n % 3), 1 FROM generate_series(0, 14999) n;
  INSERT INTO uncles SELECT n, 0, word(n), n - 1, n * 12, addr(n % 3) FROM generate_series(1, ${BLOCKS - 1}) n;
  INSERT INTO contracts SELECT addr(10000 + n), n % ${BLOCKS}, n % 20, n, addr(1), '\\x01'
    FROM generate_series(0, 14999) n;
  INSERT INTO contract_destructions SELECT addr(10000 + n), ${BLOCKS - 1}, 19, 1 FROM generate_series(0, 90, 30) n;
  INSERT INTO implementation_changes SELECT addr(10000 + n), n % ${BLOCKS}, n FROM generate_series(0, 14999) n;
  INSERT INTO consecutive_transfers SELECT addr(10000 + n), n % ${BLOCKS}, n, n, addr(1), addr(2), 0, 9
    FROM generate_series(0, 14999) n;
  INSERT INTO addresses SELECT addr(n), n % ${BLOCKS}, n, 1, n < 10000 AND n % 5 = 0 FROM generate_series(0, 19999) n;
  INSERT INTO tokens (address, standard, first_block, metadata_block, supply_block, name, symbol)
    SELECT addr(n), CASE n % 3 WHEN 0 THEN 20 WHEN 1 THEN 721 ELSE 1155 END, 0, 1, 1, 'Coin ' || n, 'COIN' || n FROM generate_series(0, 2999) n;
  INSERT INTO token_balances SELECT addr(n % 3), addr(n), n + 1, 1 FROM generate_series(0, 14999) n;
  INSERT INTO token_balances SELECT addr(n), addr(1), n + 1, 1 FROM generate_series(3, 2999) n;
  INSERT INTO token_id_balances SELECT addr(2), addr(n / 10), n % 10, 1, 1 FROM generate_series(0, 14999) n;
  INSERT INTO verified_contracts (address, verified_at, code_hash, block_number, block_hash, language, format,
      compiler_version, file_path, contract_name, sources, settings, libraries, abi, metadata, metadata_uri, outputs,
      methods, compilation)
    SELECT addr(20000 + n), now(), '\\x01', 1, word(1), '', '', '', '', 'Purse' || n, '', '', '', '', '', '', '', '{}', ''
    FROM generate_series(0, 2999) n;
  INSERT INTO proxies SELECT addr(20000 + n), '', '[]', '[]', NULL, 1, word(1) FROM generate_series(0, 2999) n;
  INSERT INTO nft_owners SELECT addr(1), n, addr(n % 3) FROM generate_series(0, 14999) n;
  INSERT INTO delegations SELECT addr(30000 + n), n % ${BLOCKS}, 0, 0, addr(1), n FROM generate_series(0, 2999) n;
`;

/** The address of a number. */
export const addr = (n: number): Hex => `0x00${n.toString(16).padStart(16, "0")}${"aa".repeat(11)}`;
/** The hash or topic of a number. */
export const word = (n: number): Hex => `0x${"00".repeat(12)}${addr(n).slice(2)}`;

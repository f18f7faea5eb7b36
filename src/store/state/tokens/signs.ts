import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import { type Hex, hexLength, hexSlice } from "../../../core/evm/hex.ts";
import { type Fragment, type Queryable, tableOf } from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import { APPROVAL, APPROVAL_FOR_ALL } from "../../lists/logs.ts";
import { type BlockRange, inRange } from "../../writer/chain.ts";
import { type HoldingKey, tableOfKeys } from "../token-balances/moved.ts";

// Signs that a token changed without a transfer: its other logs, and calls that may change state.
// The accounts in them, and all holders of a token with few, are read again with the block.

/** A range's signs that known tokens changed without a transfer. */
export interface TokenSigns {
  tokens: SignedToken[];
  /** Holdings to read again, those of tokens with few first; of ERC-1155 by id. */
  keys: HoldingKey[];
}

interface SignedToken {
  token: Address;
  /** True if it had a call or a log other than plain transfers and approvals. */
  odd: boolean;
  /** True if it names more accounts than can be read with a block. */
  flooding: boolean;
  /** True if all its holders are among the keys. */
  whole: boolean;
}

/** A range of blocks with its signs. */
export interface SignedRange extends BlockRange {
  signs?: TokenSigns;
}

/** Most logs and calls of a range that are examined. */
const SIGNS_MAXIMUM = 20_000;
/** Most accounts that one token may name in a range, and most holders that count as few. */
const NAMED_MAXIMUM = 64;
export const FEW_HOLDERS = 64;
/** Former holders that are read again with them. */
export const FORMER_HOLDERS = 16;
/** Most holdings by id that the numbers in a token's signs name. */
const NAMED_IDS_MAXIMUM = 256;
/** Most ids of a token that may have moved to an account named without one. */
const IDS_MAXIMUM = 16;
/** Holdings of an ERC-1155 token that are searched for its ids. */
const SEARCHED_IDS = 2 * (FEW_HOLDERS + 1);
/** Most holdings that a range marks; the other tokens are read after it. */
const KEYS_MAXIMUM = 5_000;
const WORD = 32;
/** Bytes of a log's data, or of a call's arguments, that are examined. */
export const SIGN_BYTES = 16 * WORD;

/** Events of transfers, which show all their changes. */
const TRANSFERS: readonly Hex[] = [
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  "0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487",
  "0xe5f815dc84b8cecdfd4beedfc3f91ab5be7af100eca4e8fb11552b867995394f",
];
/**
 * Approvals, which change no holding; transfer, transferFrom, approve, setApprovalForAll, safeTransferFrom and safeBatchTransferFrom,
 * permit.
 */
const PLAIN: ReadonlySet<Hex | null> = new Set<Hex>([
  APPROVAL,
  APPROVAL_FOR_ALL,
  "0xa9059cbb",
  "0x23b872dd",
  "0x095ea7b3",
  "0xa22cb465",
  "0x42842e0e",
  "0xb88d4fde",
  "0xf242432a",
  "0x2eb2c2d6",
  "0xd505accf",
]);

interface SignRow {
  token: Address;
  standard: number;
  /** The event, or the selector of a call; null without either. */
  sign: Hex | null;
  sender: Address | null;
  caller: Address | null;
  words: Hex;
}

/** Reads the signs of known tokens, and of those that begin in the range. */
function readSigns(sql: Queryable, range: BlockRange) {
  const isNeeded = range.from === range.to ? sql`true` : sql`(SELECT indexed FROM sync_state)`;
  const within = sql`${inRange(sql, range)} AND ${isNeeded}`;
  return sql<SignRow[]>`
    WITH moved AS MATERIALIZED (
      SELECT block_number, log_index, token, standard FROM token_transfers WHERE ${within}
    ), begun AS (
      SELECT token, max(standard) AS standard FROM moved GROUP BY token
    ), sent AS MATERIALIZED (
      SELECT block_number, transaction_index, from_address, to_address AS token, substr(input, 1, ${4 + SIGN_BYTES}) AS input
      FROM transactions WHERE ${within} AND status IS DISTINCT FROM 0
    ), called AS MATERIALIZED (
      SELECT block_number, transaction_index, from_address, to_address AS token, substr(input, 1, ${4 + SIGN_BYTES}) AS input
      FROM internal_transactions
      WHERE ${within} AND effective AND call_type = 'call' AND position > 0
    ), logged AS MATERIALIZED (
      SELECT block_number, transaction_index, address AS token, topic0,
        coalesce(topic1, '') || coalesce(topic2, '') || coalesce(topic3, '') || substr(data, 1, ${SIGN_BYTES}) AS words
      FROM logs LEFT JOIN moved USING (block_number, log_index)
      WHERE ${within} AND (topic0 IS NULL OR topic0 <> ALL(${[...TRANSFERS]}::bytea[]) OR moved.token IS NULL)
    )
    SELECT DISTINCT signs.*, coalesce(tokens.standard, begun.standard) AS standard FROM (
      SELECT logged.token, topic0 AS sign, sent.from_address AS sender, NULL::bytea AS caller, words
      FROM logged LEFT JOIN sent USING (block_number, transaction_index)
      UNION ALL
      SELECT token, substr(input, 1, 4), from_address, from_address, substr(input, 5) FROM sent
      UNION ALL
      SELECT called.token, substr(called.input, 1, 4), sent.from_address, called.from_address,
        coalesce(substr(called.input, 5), '')
      FROM called JOIN sent USING (block_number, transaction_index)
    ) AS signs LEFT JOIN tokens ON tokens.address = signs.token LEFT JOIN begun ON begun.token = signs.token
    WHERE coalesce(tokens.standard, begun.standard) IS NOT NULL AND tokens.unresponsive IS NOT TRUE
    LIMIT ${SIGNS_MAXIMUM}`;
}

/** Returns the signs in recorded blocks; none for several blocks of a first load, which leaves every holding to be read after it. */
export async function listSigns(sql: Queryable, range: BlockRange): Promise<TokenSigns> {
  const rows = await readSigns(sql, range);
  if (rows.length === 0) return { tokens: [], keys: [] };
  const named = [...Map.groupBy(rows, ({ token }) => token)].map(([token, signs]): NamedToken => {
    const parties = [...new Set(signs.flatMap(findParties))];
    const odd = signs.filter(({ sign }) => !PLAIN.has(sign));
    const { standard = 0 } = signs[0] ?? {};
    const ids = standard === 1155 ? odd.flatMap(findIds) : [];
    return { token, standard, odd: odd.length > 0, parties, ids };
  });
  const { keys, few } = await listNamedHoldings(sql, named);
  const byToken = [...Map.groupBy(keys, ({ token }) => token).values()].sort(
    (a, b) => a.length - b.length,
  );
  const kept: HoldingKey[] = [];
  for (const some of byToken) {
    if (kept.length + some.length <= KEYS_MAXIMUM) kept.push(...some);
  }
  const read = new Set(kept.map(({ token }) => token));
  return {
    keys: kept,
    tokens: named.map(({ token, odd, parties }) => ({
      token,
      odd,
      flooding: parties.length > NAMED_MAXIMUM,
      whole: read.has(token) && few.has(token),
    })),
  };
}

/** Returns the accounts of a log or a call: its sender, and words that look like addresses. */
function findParties({ sender, caller, words }: SignRow): Address[] {
  const named = addressesIn(words);
  return [sender, caller, ...named].filter((one): one is Address => one !== null);
}

/** Returns the accounts of a sign, each with the numbers in it, which may be ids that no transfer names. */
function findIds(sign: SignRow): Omit<HoldingKey, "token">[] {
  const ids = wordsIn(sign.words).filter((word) => !ADDRESS.test(word));
  return findParties(sign).flatMap((owner) =>
    ids.map((id) => ({ owner, tokenId: String(BigInt(id)) })),
  );
}

/** Words that may be addresses: neither amounts below 2^96, nor above 2^160. */
const ADDRESS = /^0x0{24}(?!0{16})/;

/** Returns the words that may be addresses. */
export function addressesIn(words: Hex): Address[] {
  return wordsIn(words)
    .filter((word) => ADDRESS.test(word))
    .map((word) => hexSlice(word, 12))
    .filter((address) => address !== ZERO_ADDRESS);
}

function wordsIn(words: Hex): Hex[] {
  const count = Math.floor(hexLength(words) / WORD);
  return Array.from({ length: count }, (_, at) => hexSlice(words, at * WORD, (at + 1) * WORD));
}

interface NamedToken {
  token: Address;
  standard: number;
  odd: boolean;
  parties: readonly Address[];
  ids: readonly Omit<HoldingKey, "token">[];
}

/** Returns the holdings of the named accounts, all those of tokens with few holders, and these tokens. */
async function listNamedHoldings(sql: Queryable, named: readonly NamedToken[]) {
  const ids = named.flatMap(({ token, ids }) =>
    ids.slice(0, NAMED_IDS_MAXIMUM).map((key) => ({ token, ...key })),
  );
  const pairs = named.flatMap(({ token, parties }) =>
    parties.slice(0, NAMED_MAXIMUM).map((owner) => ({ token, owner })),
  );
  const more = FEW_HOLDERS + 1;
  const rows = await sql<(HoldingKey & { owner: Address | null })[]>`
    WITH named AS MATERIALIZED (
      SELECT * FROM ${tableOf(sql, "pairs", pairs, { token: "bytea", owner: "bytea" })}
    ), asked AS MATERIALIZED (
      SELECT token, signed.standard, coalesce(holder_count, 0) AS holder_count
      FROM ${tableOf(sql, "signed", named, { token: "bytea", standard: "int4" })} LEFT JOIN tokens ON address = token
    ), ids AS MATERIALIZED (
      SELECT asked.token, held.owner, held.token_id FROM asked CROSS JOIN LATERAL (
        SELECT owner, token_id FROM token_id_balances AS held WHERE held.token = asked.token LIMIT ${SEARCHED_IDS}
      ) AS held WHERE standard = 1155
    )
    SELECT token, NULL::bytea AS owner, NULL::numeric AS token_id FROM asked WHERE holder_count <= ${FEW_HOLDERS}
    UNION
    SELECT named.token, named.owner, NULL FROM named JOIN asked USING (token) WHERE standard <> 1155
    UNION
    SELECT * FROM ${tableOfKeys(sql, ids)}
    UNION
    SELECT asked.token, held.owner, NULL FROM asked CROSS JOIN LATERAL (
      SELECT owner FROM token_balances AS held
      WHERE ${hasKey(sql, [sql`held.token`, sql`asked.token`])} AND amount > 0 LIMIT ${more}
    ) AS held WHERE standard <> 1155 AND holder_count <= ${FEW_HOLDERS}
    UNION
    SELECT asked.token, held.owner, NULL FROM asked CROSS JOIN LATERAL (
      SELECT owner FROM token_balances AS held
      WHERE held.token = asked.token AND amount <= 0 LIMIT ${FORMER_HOLDERS}
    ) AS held WHERE standard <> 1155 AND holder_count <= ${FEW_HOLDERS}
    UNION
    SELECT token, owner, token_id FROM ids
    UNION
    SELECT token, named.owner, few.token_id FROM named JOIN (
      SELECT asked.token, known.token_id FROM asked CROSS JOIN LATERAL ${firstIds(sql, sql`asked.token`)} AS known WHERE standard = 1155
    ) AS few USING (token)`;
  const keys = rows.filter(({ owner }) => owner !== null);
  const few = new Set(rows.flatMap(({ token, owner }) => (owner === null ? token : [])));
  return { keys, few };
}

/** Returns the first ids of an ERC-1155 token: accounts may get these without an event. */
export function firstIds(sql: Queryable, token: Fragment): Fragment {
  return sql`(
    SELECT DISTINCT token_id FROM (
      SELECT token_id FROM token_id_balances AS known WHERE known.token = ${token} LIMIT ${SEARCHED_IDS}
    ) AS searched ORDER BY token_id LIMIT ${IDS_MAXIMUM})`;
}

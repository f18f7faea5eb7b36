import type { Address } from "viem";
import type { Queryable } from "../../../src/db/client.ts";
import type { Oracle, OracleToken } from "../oracle/oracle.ts";
import { abridge, compareRows, difference } from "./difference.ts";
import { expectedChainRows, extraFields, text } from "./expected-chain.ts";
import { expectedDays } from "./expected-days.ts";
import { compareHoldings, compareIrregularity, withUnmoved } from "./holdings.ts";
import { readHead, readTable, TABLES, type TableName, type TextRow } from "./rows.ts";
import { displayText } from "./token-text.ts";

/** JSON with the keys of the outermost object in order; undefined without a value. */
function sortedJson(value: unknown): string | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(isObject ? Object.fromEntries(Object.entries(value).sort()) : value);
}

function compareExtraFields(oracle: Oracle, found: readonly TextRow[]): string[] {
  const extras = new Map(found.map((row) => [row["hash"], row["extra"]]));
  return oracle.transactions.flatMap((transaction) => {
    const expected = extraFields(transaction);
    const actual = JSON.parse(extras.get(transaction.hash) ?? "{}") as Record<string, unknown>;
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return names
      .map((name) => [name, sortedJson(expected[name]), sortedJson(actual[name])] as const)
      .filter(([, left, right]) => left !== right)
      .map(([name, left, right]) =>
        difference(`transactions hash=${transaction.hash}`, `extra.${name}`, left, right),
      );
  });
}

/** Coin balances: with traces true at the head, without them true at the block that the row names. */
async function compareAddresses(oracle: Oracle, found: readonly TextRow[]): Promise<string[]> {
  const differences = compareRows(
    "addresses",
    TABLES.addresses.key,
    [...oracle.addresses].map(([address, { firstBlock }]) => ({
      address,
      first_block: text(firstBlock),
    })),
    found,
  );
  const rows = found.flatMap((row) => {
    const known = oracle.addresses.get(row["address"] as Address);
    return known ? [{ row, balance: known.balance, address: row["address"] as Address }] : [];
  });
  const then = oracle.internalTransactions
    ? rows.map(({ balance }) => balance)
    : await oracle.state.coinBalances(
        rows.map(({ row, address }) => ({
          address,
          blockNumber: Number(row["balance_block"] ?? oracle.head.number),
        })),
      );
  for (const [index, { row, address }] of rows.entries()) {
    const name = `addresses address=${address}`;
    if (row["balance_block"] === null) {
      differences.push(`${name}: its balance is still to be read`);
    } else if (row["balance"] !== text(then[index])) {
      differences.push(difference(name, "balance", text(then[index]), row["balance"]));
    }
  }
  return differences;
}

function tokenRow(token: OracleToken): TextRow {
  return {
    address: token.address,
    standard: text(token.standard),
    first_block: text(token.firstBlock),
    name: token.name && displayText(token.name),
    symbol: token.symbol && displayText(token.symbol),
    decimals: text(token.decimals),
  };
}

/** Supplies are true at the block that the row names; the oracle's own figure is that of the head. */
async function compareTokens(
  oracle: Oracle,
  found: readonly TextRow[],
  balances: readonly TextRow[],
): Promise<string[]> {
  const expected = [...oracle.tokens.values()].map(tokenRow);
  const differences = compareRows("tokens", TABLES.tokens.key, expected, found);
  const rows = found.filter((row) => oracle.tokens.has(row["address"] as Address));
  const supplies = await oracle.state.supplies(
    rows.map((row) => ({
      address: row["address"] as Address,
      blockNumber: Number(row["supply_block"] ?? oracle.head.number),
    })),
  );
  for (const [index, row] of rows.entries()) {
    const name = `tokens address=${row["address"]}`;
    const supply = text(supplies[index]);
    const holders = balances.filter(
      (balance) => balance["token"] === row["address"] && BigInt(balance["amount"] ?? 0) > 0n,
    );
    if (row["metadata_block"] === null || row["supply_block"] === null) {
      differences.push(`${name}: is still to be read`);
    } else if (row["total_supply"] !== supply) {
      differences.push(difference(name, "total_supply", supply, row["total_supply"]));
    }
    if (row["holder_count"] !== text(holders.length)) {
      differences.push(difference(name, "holder_count", text(holders.length), row["holder_count"]));
    }
  }
  return differences;
}

async function compareSyncState(sql: Queryable, oracle: Oracle): Promise<string[]> {
  const [row] = await sql<{ fields: TextRow }[]>`
    SELECT jsonb_build_object('chain_id', chain_id::text, 'head_number', head_number::text,
      'head_hash', '0x' || encode(head_hash, 'hex'), 'head_timestamp', head_timestamp::text,
      'traced', traced::text) AS fields FROM sync_state`;
  const expected = {
    chain_id: text(oracle.chainId),
    head_number: text(oracle.head.number),
    head_hash: oracle.head.hash,
    head_timestamp: text(oracle.blocks.at(-1)?.timestamp),
    traced: text(oracle.internalTransactions !== null),
  };
  return compareRows("sync_state", [], [expected], row ? [row.fields] : []);
}

/**
 * Returns every difference between the visible rows of a database and the oracle's chain, one
 * sentence each; empty when they are equal. The database must be idle: pending reads are a
 * difference.
 */
export async function compareDatabase(
  sql: Queryable,
  oracle: Oracle,
  leftOut?: (difference: string) => boolean,
): Promise<string[]> {
  const head = (await readHead(sql)) ?? -1;
  if (head !== oracle.head.number) {
    return [difference("sync_state", "head_number", text(oracle.head.number), text(head))];
  }
  const read = (table: TableName): Promise<TextRow[]> => readTable(sql, table, head);
  const differences: string[] = [];
  const chainRows = expectedChainRows(oracle);
  for (const [table, rows] of Object.entries(chainRows)) {
    const name = table as TableName;
    differences.push(...compareRows(name, TABLES[name].key, rows, await read(name)));
  }
  const addresses = await read("addresses");
  const balances = await read("token_balances");
  const idBalances = await read("token_id_balances");
  const tokens = await read("tokens");
  const supply = addresses.reduce((sum, { balance }) => sum + BigInt(balance ?? 0), 0n);
  differences.push(
    ...(await compareSyncState(sql, oracle)),
    ...compareExtraFields(oracle, await read("transactions")),
    ...(await compareAddresses(oracle, addresses)),
    ...compareRows(
      "coin_supply",
      TABLES.coin_supply.key,
      [{ singleton: "true", total: text(supply) }],
      await read("coin_supply"),
    ),
    ...(await compareTokens(oracle, tokens, balances)),
    ...(await compareHoldings("token_balances", oracle.holdings, balances, {
      ...oracle,
      idHoldings: withUnmoved(oracle.idHoldings, idBalances),
    })),
    ...(await compareHoldings("token_id_balances", oracle.idHoldings, idBalances, oracle)),
    ...compareIrregularity(oracle.holdings, balances, tokens),
    ...compareRows(
      "daily_statistics",
      TABLES.daily_statistics.key,
      expectedDays(oracle),
      await read("daily_statistics"),
    ),
  );
  return abridge(differences.filter((one) => !leftOut?.(one)));
}

import type { Oracle, OracleHolding } from "../oracle/oracle.ts";
import { compareRows, difference, nameRow } from "./difference.ts";
import { text } from "./expected-chain.ts";
import { TABLES, type TextRow } from "./rows.ts";

function keyRow({ token, owner, id }: OracleHolding): TextRow {
  return id === null ? { token, owner } : { token, owner, token_id: text(id) };
}

/** Tokens whose transfers are of ERC-1155 and of another standard: what an amount of them means nobody can tell. */
function ambiguousTokens(oracle: Oracle): Set<string> {
  const standards = Map.groupBy(oracle.transfers, ({ token }) => token);
  const ambiguous = [...standards].filter(
    ([, transfers]) => new Set(transfers.map(({ standard }) => standard === 1155)).size > 1,
  );
  return new Set(ambiguous.map(([token]) => token));
}

/**
 * Differences of a table of holdings. A row is right when the contract gave its amount at the block the row names, and
 * no transfer touched the holding since. A contract that does not answer is believed its transfers.
 */
export async function compareHoldings(
  table: "token_balances" | "token_id_balances",
  holdings: readonly OracleHolding[],
  found: readonly TextRow[],
  oracle: Oracle,
): Promise<string[]> {
  const { key } = TABLES[table];
  const expectedKeys = holdings.map(keyRow);
  const differences = compareRows(table, key, expectedKeys, found);
  const rows = new Map(found.map((row) => [nameRow(table, key, row), row]));
  const ambiguous = ambiguousTokens(oracle);
  for (const holding of holdings.filter(({ token }) => !ambiguous.has(token))) {
    const name = nameRow(table, key, keyRow(holding));
    const row = rows.get(name);
    if (!row) continue;
    if (row["block_number"] === null || row["block_number"] === undefined) {
      differences.push(`${name}: is still to be read`);
      continue;
    }
    const block = Number(row["block_number"]);
    if (block < holding.lastBlock || block > oracle.head.number) {
      differences.push(
        `${name}: was read at block ${block}, touched at ${holding.lastBlock}, head ${oracle.head.number}`,
      );
      continue;
    }
    const expected = await balanceAt(holding, block, oracle);
    if (row["amount"] !== text(expected)) {
      differences.push(
        difference(`${name} at block ${block}`, "amount", text(expected), row["amount"]),
      );
    }
  }
  return differences;
}

async function balanceAt(holding: OracleHolding, block: number, oracle: Oracle): Promise<bigint> {
  if (block === oracle.head.number) return holding.balance ?? holding.sum;
  const ids = oracle.idHoldings.filter(
    ({ token, owner }) => token === holding.token && owner === holding.owner,
  );
  if (holding.id === null && ids.length > 0) {
    const balances = await oracle.state.holdings(ids, block);
    return ids.reduce((sum, id, index) => sum + (balances[index] ?? id.sum), 0n);
  }
  const [balance] = await oracle.state.holdings([holding], block);
  return balance ?? holding.sum;
}

/** Tokens of which an amount was found that its transfers do not add up to, and that are not marked for it. */
export function compareIrregularity(
  holdings: readonly OracleHolding[],
  found: readonly TextRow[],
  tokens: readonly TextRow[],
): string[] {
  const amounts = new Map(found.map((row) => [`${row["token"]} ${row["owner"]}`, row["amount"]]));
  const suspects = holdings
    .filter(({ token, owner, sum }) => {
      const amount = amounts.get(`${token} ${owner}`);
      return amount !== undefined && amount !== text(sum);
    })
    .map(({ token }) => token);
  return [...new Set(suspects)]
    .filter((token) =>
      tokens.some((row) => row["address"] === token && row["irregular"] === "false"),
    )
    .map(
      (token) =>
        `tokens address=${token}: amounts differ from its transfers, but irregular is false`,
    );
}

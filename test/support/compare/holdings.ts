import { type Address, isAddress } from "viem";
import { amountOf, idsOf } from "../oracle/holdings.ts";
import type { Oracle } from "../oracle/oracle.ts";
import type { OracleHolding } from "../oracle/state.ts";
import { compareRows, difference, nameRow } from "./difference.ts";
import { text } from "./expected-chain.ts";
import { TABLES, type TextRow } from "./rows.ts";

function keyRow({ token, owner, id }: OracleHolding): TextRow {
  return id === null ? { token, owner } : { token, owner, token_id: text(id) };
}

/** Returns the holdings by id with those that only the index has: logs that are no transfers may name ids, too. */
export function withUnmoved(
  holdings: readonly OracleHolding[],
  found: readonly TextRow[],
): OracleHolding[] {
  const moved = new Set(holdings.map(({ token, owner, id }) => `${token} ${owner} ${id}`));
  const others = found.filter(
    (row) => !moved.has(`${row["token"]} ${row["owner"]} ${row["token_id"]}`),
  );
  const rest = others.map(({ token, owner, token_id: id }) => ({
    ...{ token: token as Address, owner: owner as Address, id: BigInt(id ?? 0) },
    ...{ balance: null, sum: 0n, lastBlock: 0 },
  }));
  return [...holdings, ...rest];
}

/**
 * Differences of a table of holdings. A row is right when the contract gave its amount at the row's
 * block, and no transfer touched the holding since. Without an answer of the contract its transfers
 * count.
 */
export async function compareHoldings(
  table: "token_balances" | "token_id_balances",
  holdings: readonly OracleHolding[],
  found: readonly TextRow[],
  oracle: Oracle,
): Promise<string[]> {
  const { key } = TABLES[table];
  const expectedKeys = holdings.map(keyRow);
  const expected = new Set(expectedKeys.map((row) => nameRow(table, key, row)));
  const own = found.filter((row) => expected.has(nameRow(table, key, row)));
  const others = found.filter((row) => !expected.has(nameRow(table, key, row)));
  const differences = compareRows(table, key, expectedKeys, own);
  differences.push(...(await compareUnmoved(table, others, oracle)));
  const rows = new Map(found.map((row) => [nameRow(table, key, row), row]));
  const readAt: { holding: OracleHolding; row: TextRow; blockNumber: number }[] = [];
  for (const holding of holdings) {
    const name = nameRow(table, key, keyRow(holding));
    const row = rows.get(name);
    if (!row) continue;
    const blockNumber = Number(row["block_number"] ?? -1);
    if (row["block_number"] === null) {
      differences.push(`${name}: is still to be read`);
    } else if (blockNumber < holding.lastBlock || blockNumber > oracle.head.number) {
      differences.push(
        `${name}: was read at block ${blockNumber}, touched at ${holding.lastBlock}, head ${oracle.head.number}`,
      );
    } else {
      readAt.push({ holding, row, blockNumber });
    }
  }
  const balances = await balancesAt(readAt, oracle);
  for (const [index, { holding, row, blockNumber }] of readAt.entries()) {
    const name = `${nameRow(table, key, keyRow(holding))} at block ${blockNumber}`;
    const expected = text(balances[index]);
    if (row["amount"] !== expected) {
      differences.push(difference(name, "amount", expected, row["amount"]));
    }
    // The sum of the transfers is stored where the contract disagrees.
    const transferred = row["amount"] === text(holding.sum) ? null : text(holding.sum);
    if (row["transferred_amount"] !== transferred) {
      differences.push(
        difference(name, "transferred_amount", transferred, row["transferred_amount"]),
      );
    }
  }
  return differences;
}

/** Returns the differences of rows that no transfer makes: calls and other logs name their owners, the contract their amounts. */
async function compareUnmoved(
  table: "token_balances" | "token_id_balances",
  rows: readonly TextRow[],
  oracle: Oracle,
): Promise<string[]> {
  const differences: string[] = [];
  for (const row of rows) {
    const name = nameRow(table, TABLES[table].key, row);
    const [token, owner] = [row["token"], row["owner"]] as [Address, Address];
    if (!isAddress(token) || !isAddress(owner)) {
      differences.push(`${name}: should not be there`);
      continue;
    }
    const place = { token, owner, blockNumber: Number(row["block_number"] ?? oracle.head.number) };
    const key = { token, owner, id: row["token_id"] ? BigInt(row["token_id"]) : null };
    const isWhole = table === "token_balances" && oracle.tokens.get(token)?.standard === 1155;
    const ids = isWhole ? idsOf(key, oracle) : [key];
    const answers = await oracle.state.holdings(ids.map(({ id }) => ({ ...place, id })));
    const amount = answers.reduce<bigint>((sum, answer) => sum + (answer ?? 0n), 0n);
    if (row["block_number"] !== null && row["amount"] === text(amount)) continue;
    differences.push(`${name}: has ${row["amount"]}, and ${amount} by its contract`);
  }
  return differences;
}

/** The holdings after their rows' blocks; the whole of a multi-token is the sum of its ids. */
async function balancesAt(
  places: readonly { holding: OracleHolding; blockNumber: number }[],
  oracle: Oracle,
): Promise<bigint[]> {
  const parts = places.map(({ holding, blockNumber }) => {
    const ids = idsOf(holding, oracle);
    return (ids.length > 0 ? ids : [holding]).map((part) => ({ ...part, blockNumber }));
  });
  const answers = await oracle.state.holdings(parts.flat());
  let asked = 0;
  return parts.map((own) =>
    own.reduce(
      (total, part) => total + amountOf({ balance: answers[asked++] ?? null, sum: part.sum }),
      0n,
    ),
  );
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

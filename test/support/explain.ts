import type { Sql } from "../../src/db/client.ts";

/** A node of PostgreSQL's plan, as `EXPLAIN (FORMAT JSON)` has it; the figures only of a plan that was run. */
export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  /** Per loop, as the two next. */
  "Actual Rows"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Actual Loops"?: number;
  Plans?: PlanNode[];
}

interface Statement {
  text: string;
  values: never[];
}

/** Tables of one row, or of one row a day: they may be read whole. */
const SMALL = new Set([
  "sync_state",
  "coin_supply",
  "indexer_status",
  "writer",
  "daily_statistics",
]);

/**
 * Plans of the statements that the work sends, in their order. Sequential scans are made unattractive, so that one in
 * a plan means that no index serves it, however small the test's tables are.
 */
export async function plansOf(sql: Sql, work: () => Promise<unknown>): Promise<PlanNode[]> {
  const statements = await statementsOf(sql, work);
  const plans = await sql.begin(async (transaction) => {
    await transaction`SET LOCAL enable_seqscan = off`;
    const explained: PlanNode[] = [];
    for (const { text, values } of statements) {
      const [row] = await transaction.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, values);
      explained.push(row?.["QUERY PLAN"][0].Plan);
    }
    return explained;
  });
  return plans;
}

/** As `plansOf`, but planned and run as they are: for tables that hold enough to matter. */
export async function executedPlansOf(sql: Sql, work: () => Promise<unknown>): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  for (const { text, values } of await statementsOf(sql, work)) {
    const [row] = await sql.unsafe(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    plans.push(row?.["QUERY PLAN"][0].Plan);
  }
  return plans;
}

/**
 * As `executedPlansOf`, by the plans that PostgreSQL may keep for any parameters: they know nothing of an address that has
 * far more rows than others.
 */
export async function genericPlansOf(sql: Sql, work: () => Promise<unknown>): Promise<PlanNode[]> {
  const statements = await statementsOf(sql, work);
  return sql.begin(async (transaction) => {
    await transaction`SET LOCAL plan_cache_mode = force_generic_plan`;
    const plans: PlanNode[] = [];
    for (const { text, values } of statements) {
      await transaction.unsafe(`PREPARE explained AS ${text}`);
      const literals = values.map((value) => (value === null ? "NULL" : `'${value}'`));
      const parameters = literals.length === 0 ? "" : `(${literals.join(", ")})`;
      const [row] = await transaction.unsafe(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained ${parameters}`,
      );
      plans.push(row?.["QUERY PLAN"][0].Plan);
      await transaction`DEALLOCATE explained`;
    }
    return plans;
  });
}

async function statementsOf(sql: Sql, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  sql.options.debug = (_connection, text, values) => {
    if (/^\s*(?:SELECT|WITH)\b/i.test(text)) statements.push({ text, values: values as never[] });
  };
  try {
    await work();
  } finally {
    sql.options.debug = false;
  }
  return statements;
}

/** Slow parts of a plan: sequential scans of tables that grow, and sorts. */
export function slowNodes(plan: PlanNode): string[] {
  const { "Node Type": type, "Relation Name": table = "" } = plan;
  const isSlow = (type === "Seq Scan" && !SMALL.has(table)) || type.includes("Sort");
  return [...(isSlow ? [`${type} ${table}`] : []), ...(plan.Plans ?? []).flatMap(slowNodes)];
}

/** Rows that the scans of an executed plan read, including filtered ones; of one table if it is given. */
export function rowsRead(plan: PlanNode, table?: string): number {
  const loops = plan["Actual Loops"] ?? 0;
  const name = plan["Relation Name"];
  const own =
    name !== undefined && (table === undefined || name === table)
      ? (plan["Actual Rows"] ?? 0) +
        (plan["Rows Removed by Filter"] ?? 0) +
        (plan["Rows Removed by Index Recheck"] ?? 0)
      : 0;
  return (plan.Plans ?? []).reduce((rows, child) => rows + rowsRead(child, table), own * loops);
}

/** Most rows that a sort of an executed plan got at once; 0 without one. */
export function largestSort(plan: PlanNode): number {
  const children = plan.Plans ?? [];
  const own = plan["Node Type"].includes("Sort") ? (children[0]?.["Actual Rows"] ?? 0) : 0;
  return Math.max(own, ...children.map(largestSort));
}

import type { Sql } from "../../src/db/client.ts";

/** A node of PostgreSQL's plan, as `EXPLAIN (FORMAT JSON)` has it. */
export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  Plans?: PlanNode[];
}

/** Tables of one row, or of one row a day: they may be read whole. */
const SMALL = new Set(["sync_state", "indexer_status", "writer", "daily_statistics"]);

/**
 * Plans of the statements that the work sends, in their order. Sequential scans are made unattractive, so that one in
 * a plan means that no index serves it, however small the test's tables are.
 */
export async function plansOf(sql: Sql, work: () => Promise<unknown>): Promise<PlanNode[]> {
  const statements: { text: string; values: never[] }[] = [];
  sql.options.debug = (_connection, text, values) => {
    if (/^\s*(?:SELECT|WITH)\b/i.test(text)) statements.push({ text, values: values as never[] });
  };
  try {
    await work();
  } finally {
    sql.options.debug = false;
  }
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

/** What is slow in a plan: sequential scans of tables that grow, and sorts. */
export function slowNodes(plan: PlanNode): string[] {
  const { "Node Type": type, "Relation Name": table = "" } = plan;
  const isSlow = (type === "Seq Scan" && !SMALL.has(table)) || type.includes("Sort");
  return [...(isSlow ? [`${type} ${table}`] : []), ...(plan.Plans ?? []).flatMap(slowNodes)];
}

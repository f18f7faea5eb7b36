import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import {
  type Column,
  type DescribedStatement,
  describingClient,
} from "../support/row-types/describe.ts";
import {
  type Field,
  readTypedSource,
  type TypedSource,
  type TypedStatement,
} from "../support/row-types/row-types.ts";
import { sampleOf } from "../support/row-types/samples.ts";

// PostgreSQL must confirm the assertions of `sql<Row[]>`: names and types of the columns, and that
// a nullable column of a table is nullable in the row. PostgreSQL does not report whether an
// expression, or the far side of an outer join, is nullable.

/** Fields that are never null though their columns may be, by the file of the statement. */
const NEVER_NULL: Readonly<Record<string, string>> = {
  "src/store/state/addresses/coin-balances.ts balance": "only balances that were read are listed",
  "src/store/blocks/blocks.ts headNumber": "joined with a block at or below the head",
  "src/store/state/nft-owners.ts tokenId": "ERC-721 transfers have ids",
  "src/store/contracts/verified/similar.ts hash":
    "verified runtime codes have it: runtime_length says so",
  "src/store/contracts/verified/similar.ts mask":
    "verified runtime codes have it: runtime_length says so",
  "src/store/writer/earlier-traces.ts to": "read only where there is a head",
  "src/store/sync-state.ts number": "read only where there is a head",
  "src/store/writer/recorded-rows.ts head": "a chain without a head is left out",
  "src/store/sync-state.ts hash": "is there with head_number",
  "src/store/sync-state.ts timestampSeconds": "is there with head_number",
  "src/store/lists/transactions.ts callee": "frames without a callee are left out",
  "src/store/contracts/verification-jobs.ts request": "a job has its request until it is finished",
};
/** Statements that cannot be described, and why. */
const NOT_DESCRIBED: Readonly<Record<string, string>> = {
  "src/store/writer/audit.ts stored": "reads temporary tables that it makes",
  "src/store/cluster/distribution.ts name": "runs on Citus only",
  "src/store/cluster/distribution.ts definition": "runs on Citus only",
  "src/store/writer/recorded-rows.ts servers": "runs on Citus only",
  "src/store/sync-state.ts servedState": "has the columns of the statement that it is given",
};

const VARIANTS = 6;
const ROW_SAMPLES = ["none", "one"] as const;

let database: TestDatabase;
let source: TypedSource;
beforeAll(async () => {
  database = await createTestDatabase();
  // A sample of a name of a schema names this one.
  await database.sql`CREATE SCHEMA "1"`;
  await database.sql`CREATE TABLE "1".verification_jobs (LIKE public.verification_jobs)`;
  source = readTypedSource("src/store/");
});
afterAll(async () => {
  source?.close();
  await database?.drop();
});

it("rows are what the database says they are", async () => {
  const described = await describeAll();
  const columns = await listTableColumns();
  const faults = source.statements.flatMap((statement) => {
    const found = described.get(statement.text);
    if (!found && isListed(NOT_DESCRIBED, statement, statement.fields[0]?.name)) return [];
    if (!found) return [`${statement.where}: no sample of its parameters reaches it`];
    return found.columns.length === 0 ? [] : compare(statement, found, columns);
  });
  expect(faults).toEqual([]);
});

/** Calls the functions of the store with samples of their parameters, until each statement was sent; returns these by text. */
async function describeAll(): Promise<Map<string, DescribedStatement>> {
  const described = new Map<string, DescribedStatement>();
  const { checker, functions, statements } = source;
  const isLeft = (one: TypedStatement) =>
    !described.has(one.text) && !isListed(NOT_DESCRIBED, one, one.fields[0]?.name);
  for (let variant = 0; variant < VARIANTS && statements.some(isLeft); variant++) {
    for (const { file, name, parameters } of functions) {
      const module: Record<string, (...values: unknown[]) => Promise<unknown>> = await import(file);
      const values = parameters.map((type) => sampleOf(checker, type, variant));
      for (const sample of ROW_SAMPLES) {
        const rowsOf = (text: string) => {
          const statement = statements.find((one) => one.text === text);
          if (sample === "none" || !statement) return [];
          return [sampleOf(checker, statement.row, variant)];
        };
        const client = describingClient(database.sql, rowsOf, (one) =>
          described.set(one.text, one),
        );
        // A function may refuse a sample, and still have sent a statement.
        await (async () => module[name]?.(client, ...structuredClone(values)))().catch(() => {});
      }
    }
  }
  return described;
}

interface TableColumn {
  name: string;
  nullable: boolean;
}

/** The columns of all tables by `oid` and number; a column of a view is that of the table that it shows. */
async function listTableColumns(): Promise<Map<string, TableColumn>> {
  const rows = await database.sql<{ key: string; name: string; nullable: boolean }[]>`
    SELECT c.oid || ':' || a.attnum AS key, coalesce(base.relname, c.relname) || '.' || a.attname AS name,
      NOT coalesce(shown.attnotnull, a.attnotnull) AS nullable
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_class base ON c.relkind = 'v' AND c.relname = 'valid_' || base.relname
      AND base.relnamespace = c.relnamespace
    LEFT JOIN pg_attribute shown ON shown.attrelid = base.oid AND shown.attname = a.attname
    WHERE c.relkind IN ('r', 'v')`;
  return new Map(rows.map(({ key, ...column }) => [key, column]));
}

function isListed(
  list: Readonly<Record<string, string>>,
  { where }: TypedStatement,
  field: string | undefined,
): boolean {
  return `${where.split(":")[0]} ${field}` in list;
}

function compare(
  statement: TypedStatement,
  { columns }: DescribedStatement,
  tableColumns: ReadonlyMap<string, TableColumn>,
): string[] {
  const { where, fields } = statement;
  const faults: string[] = [];
  for (const field of fields) {
    const column = columns.find(({ name }) => name === field.name);
    if (!column) {
      if (!field.optional) faults.push(`${where}: no column ${field.name}`);
      continue;
    }
    if (!typeFits(column, field)) {
      const told = source.checker.typeToString(field.type);
      faults.push(
        `${where}: ${field.name} is ${told}, and not what type ${column.type} is read as`,
      );
    }
    const origin = tableColumns.get(`${column.table}:${column.number}`);
    if (origin?.nullable && !field.nullable && !isListed(NEVER_NULL, statement, field.name)) {
      faults.push(`${where}: ${field.name} may be null, as ${origin.name} may`);
    }
  }
  for (const { name } of columns) {
    if (!fields.some((field) => field.name === name)) faults.push(`${where}: nobody reads ${name}`);
  }
  return faults;
}

/** Returns whether a field can hold the client's value of a column (src/db/client.ts). */
function typeFits({ type: oid }: Column, { type }: Field): boolean {
  const { checker } = source;
  const bare = checker.getNonNullableType(type) ?? type;
  const told = checker.typeToString(bare);
  const isHex = told.startsWith("`0x");
  switch (oid) {
    case 17: // bytea
      return checker.isTypeAssignableTo(bare, checker.getStringType());
    case 20: // int8
    case 21: // int2
    case 23: // int4
      return checker.isTypeAssignableTo(bare, checker.getNumberType());
    case 25: // text
    case 19: // name
    case 1700: // numeric
      return !isHex && checker.isTypeAssignableTo(bare, checker.getStringType());
    case 16: // boolean
      return checker.isTypeAssignableTo(bare, checker.getBooleanType());
    case 1005: // int2[]
    case 1007: // int4[]
    case 1016: // int8[]
      return told === "number[]" || told === "readonly number[]";
    case 114: // json
    case 3802: // jsonb
      return true;
    default:
      return false;
  }
}

import pino from "pino";
import type { Context } from "../../../src/api/explorer/action.ts";
import { pageRange } from "../../../src/api/explorer/params.ts";
import { actionsIn } from "../../../src/api/explorer/registry.ts";
import type { Read } from "../../../src/api/reading/snapshot.ts";
import { createUnresponsiveContracts } from "../../../src/chain/state/unresponsive-contracts.ts";
import type { Sql } from "../../../src/db/client.ts";
import { getServedHead, type ServedHead } from "../../../src/store/sync-state.ts";
import type { Question } from "./requests.ts";

/** Asks the database all that an answer is made from, one statement after the other. */
export type BareSql = () => Promise<void>;

type Template = readonly [TemplateStringsArray, ...unknown[]];

/**
 * The statements that the API runs for a question, found by letting its action answer once, to be run again by
 * themselves: without a transaction around them and without anything made of their rows.
 */
export async function bareSqlOf(sql: Sql, question: Question): Promise<BareSql> {
  const { module, action: name, ...given } = question.parameters;
  const wanted = `${module}/${name}`.toLowerCase();
  const found = actionsIn("blockscout").find(
    (each) => `${each.module}/${each.action.name}`.toLowerCase() === wanted,
  );
  const action = found?.action;
  if (!action) throw new Error(`no action ${module}/${name}`);
  const recorder = recordStatements(sql);
  const read: Read = (query) =>
    query(recorder.sql, getServedHead(recorder.sql) as Promise<ServedHead>);
  const parameters = Object.fromEntries(
    Object.keys(action.params.shape).map((key) => [key, given[key as keyof typeof given]]),
  );
  const input = action.params.parse(parameters);
  const context = {
    ...UNUSED_SERVICES,
    read,
    dialect: "blockscout",
    sent: given,
    page: pageRange(input),
  } as unknown as Context;
  await action.handle(context, input);
  const statements = recorder.statements();
  if (statements.length === 0) throw new Error(`${module}/${name} asked the database nothing`);
  return async () => {
    for (const statement of statements)
      await (sql as (...template: Template) => unknown)(...statement);
  };
}

const UNUSED_SERVICES = {
  chainId: () => 1,
  log: pino({ level: "silent" }),
  staticReward: 0n,
  priceFeeds: {},
  unresponsive: createUnresponsiveContracts(),
  largeAnswers: { make: (_bytes: number, make: () => unknown) => make() },
};

/** A client that remembers the statements which were run over it, also inside transactions. */
function recordStatements(sql: Sql): { sql: Sql; statements(): Template[] } {
  const made: { query: { string?: string }; template: Template }[] = [];

  function recording<Client extends object>(client: Client): Client {
    return new Proxy(client, {
      apply(target, self, template) {
        const query = Reflect.apply(target as never, self, template) as { string?: string };
        if (Array.isArray((template[0] as TemplateStringsArray)?.raw)) {
          made.push({ query, template: template as unknown as Template });
        }
        return query;
      },
      get(target, name, receiver) {
        if (name !== "begin") return Reflect.get(target, name, receiver);
        return (...parameters: unknown[]) => {
          const work = parameters.pop() as (transaction: object) => unknown;
          const begin = Reflect.get(target, name, receiver) as (...all: unknown[]) => unknown;
          return begin(...parameters, (transaction: object) => work(recording(transaction)));
        };
      },
    });
  }

  return {
    sql: recording(sql),
    // Only what was sent has got its text; fragments are parts of it.
    statements: () =>
      made.filter(({ query }) => query.string !== undefined).map(({ template }) => template),
  };
}

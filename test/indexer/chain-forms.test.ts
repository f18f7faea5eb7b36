import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startTestIndexer } from "../support/indexer.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type IncomingCall, lie, rpcError } from "../support/scripted-node/faults.ts";
import { startScriptedNode } from "../support/scripted-node.ts";

// One file of test/fixtures/chain-forms is one form in which nodes of some chain answer. Here such a block is the first of the
// chain, the newest at the start, and one that comes later. A stand-in for the node of that chain: the form is ours, made
// after what `where` names.

/** Result of the answers about a block with two transactions. */
interface Edit {
  method: string;
  /** Every block, not only those with two transactions. */
  all?: boolean;
  /** Place in the answer, `transactions.1`; else the answer itself. */
  at?: string;
  set?: Record<string, unknown>;
  remove?: string[];
  list?:
    | "double"
    | "reverse"
    | "without-last"
    | "without-first"
    | "null-for-first"
    | "receipt-of-block";
  /** Factor of the time. */
  times?: number;
  /** Answers about this transaction of such a block. */
  of?: 0 | 1;
  null?: boolean;
  error?: { code: number; message: string };
  /** Only calls that have it in their parameters. */
  whenParameter?: string;
}

interface Form {
  form: string;
  where: string;
  edits: Edit[];
  /** `second`: index of the second transaction. */
  expected: { transactions: number; traced?: boolean; accepted: string[]; second?: number };
}

const FOLDER = path.join(import.meta.dirname, "../fixtures/chain-forms");
const forms = readdirSync(FOLDER).map((name): [string, Form] => [
  name.replace(".json", ""),
  JSON.parse(readFileSync(path.join(FOLDER, name), "utf8")),
]);
const ODD = { transactions: [{ valueWei: 1n }, { valueWei: 2n }] };

type Answer = Record<string, unknown>;

function listOf(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  const list = (answer as { transactions?: unknown[] } | null)?.transactions;
  return list ?? [];
}

function edited(answer: unknown, edit: Edit): unknown {
  if (edit.null) return null;
  if (edit.times !== undefined) {
    const { timestamp } = answer as { timestamp: string };
    return {
      ...(answer as Answer),
      timestamp: `0x${(BigInt(timestamp) * BigInt(edit.times)).toString(16)}`,
    };
  }
  if (edit.list !== undefined) {
    const list = answer as Answer[];
    const [first] = list;
    const lists = {
      double: [...list, ...list],
      reverse: list.toReversed(),
      "without-last": list.slice(0, -1),
      "without-first": list.slice(1),
      "null-for-first": [null, ...list.slice(1)],
      "receipt-of-block": [
        ...list,
        {
          ...first,
          transactionHash: first?.["blockHash"],
          transactionIndex: "0x2",
          gasUsed: "0x0",
        },
      ],
    };
    return lists[edit.list];
  }
  const copy = structuredClone(answer) as Answer;
  const target = (edit.at?.split(".") ?? []).reduce((inner, key) => inner[key] as Answer, copy);
  Object.assign(target, edit.set);
  for (const name of edit.remove ?? []) delete target[name];
  return copy;
}

test.each(forms)(
  "%s: the index goes on, in the first block, midway and in the newest",
  async (_name, form) => {
    const node = await startScriptedNode();
    const own = await createTestDatabase();
    const places = new Map<unknown, number>();
    const mineOdd = () => {
      node.chain.mine(ODD);
      for (const [index, { hash }] of node.chain.head.block.transactions.entries())
        places.set(hash, index);
    };
    const isOdd = (edit: Edit, answer: unknown, { params }: IncomingCall) =>
      edit.of !== undefined
        ? places.get(params[0]) === edit.of
        : edit.all
          ? answer !== null
          : listOf(answer).length === 2;
    for (const method of new Set(form.edits.map((edit) => edit.method))) {
      const edits = form.edits.filter((edit) => edit.method === method);
      const refusal = edits.find(({ error }) => error);
      if (refusal?.error) {
        const { error, whenParameter = "" } = refusal;
        node.fail({
          method,
          when: ({ params }) => JSON.stringify(params).includes(whenParameter),
          effect: rpcError(error.code, error.message),
        });
        continue;
      }
      node.fail({
        method,
        effect: lie((answer, call) =>
          edits.reduce(
            (result, edit) => (isOdd(edit, answer, call) ? edited(result, edit) : result),
            answer,
          ),
        ),
      });
    }
    mineOdd();
    node.chain.mine({ transactions: [{ valueWei: 3n }] });
    mineOdd();
    const indexer = startTestIndexer({
      databaseUrl: own.url,
      rpcUrls: [node.url],
      finalityDepth: 1,
    });
    try {
      await indexer.reach(node.chain.head.block.hash);
      node.chain.mine({ transactions: [{ valueWei: 4n }] });
      mineOdd();
      node.chain.mine({ transactions: [{ valueWei: 5n }] });
      await indexer.reach(node.chain.head.block.hash);
      const { transactions, traced = true, accepted, second = null } = form.expected;
      const [counts] = await own.sql`
      SELECT (SELECT count(*)::int FROM transactions) AS transactions,
        (SELECT count(*)::int FROM blocks WHERE number > 0 AND timestamp NOT BETWEEN 1600000000 AND 2000000000) AS odd_times,
        (SELECT max(transaction_index) FROM transactions WHERE value = 2 AND ${second}::int IS NOT NULL) AS second, traced FROM sync_state`;
      expect(counts).toEqual({ transactions: 3 * transactions + 3, oddTimes: 0, second, traced });
      const kinds = () =>
        Object.keys(indexer.status().accepted).filter((kind) => kind !== "odd-field");
      await expect.poll(kinds).toEqual(accepted);
    } finally {
      await indexer.stop();
      await own.drop();
      await node.stop();
    }
  },
);

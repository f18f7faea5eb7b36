import { z } from "zod";
import type { Queryable } from "../../../db/client.ts";
import { type LogEntry, searchLogs } from "../../../store/lists/logs.ts";
import { defineAction, type RawParameters } from "../action.ts";
import { type Failure, failed, NO_RECORDS, okPage } from "../envelope.ts";
import { address, flag, hash, integer, paging } from "../params.ts";
import { logRecord, presentLog } from "../present/log.ts";

/** Combination of the conditions on a pair of topics. */
type Operator = "and" | "or";

/** Returns the smallest sets of topics of which a log must match one, by the operators of each pair. Source: docs/wire.md, "Logs". */
function topicAlternatives(
  given: readonly number[],
  operatorOf: (first: number, second: number) => Operator,
): number[][] {
  if (given.length < 2) return [[...given]];
  const fits = (set: readonly number[]) =>
    given.every((first, index) =>
      given.slice(index + 1).every((second) => {
        const [one, other] = [set.includes(first), set.includes(second)];
        return operatorOf(first, second) === "and" ? one && other : one || other;
      }),
    );
  const subsets = given.reduce<number[][]>(
    (found, item) => found.concat(found.map((subset) => [...subset, item])),
    [[]],
  );
  const fitting = subsets.filter(fits);
  return fitting.filter((set) =>
    fitting.every((other) => other === set || !other.every((topic) => set.includes(topic))),
  );
}

const ROWS = 1000;
const PAIRS = [
  { first: 0, second: 1, name: "topic0_1_opr" },
  { first: 0, second: 2, name: "topic0_2_opr" },
  { first: 0, second: 3, name: "topic0_3_opr" },
  { first: 1, second: 2, name: "topic1_2_opr" },
  { first: 1, second: 3, name: "topic1_3_opr" },
  { first: 2, second: 3, name: "topic2_3_opr" },
] as const;
const TOPICS = ["topic0", "topic1", "topic2", "topic3"] as const;
const SMALLEST_BLOCK = -(2n ** 63n);
const LARGEST_BLOCK = 2n ** 63n - 1n;

function block(name: string) {
  const invalid = `Invalid ${name} format`;
  const number = integer({ invalid })
    .refine((value) => value >= SMALLEST_BLOCK && value <= LARGEST_BLOCK, invalid)
    // There are no blocks beyond the safe integers.
    .transform((value) =>
      Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER),
    );
  return z
    .union([z.literal("latest"), number], { error: invalid })
    .describe(`${name === "fromBlock" ? "First" : "Last"} block, included: a number or \`latest\``);
}

function operator(name: string) {
  return z
    .enum(["and", "or"], { error: `Invalid ${name} format` })
    .optional()
    .describe("How the two topics are combined; required when both are given");
}

function topic(position: number) {
  return hash({ invalid: `Invalid topic${position} format` })
    .optional()
    .describe(
      position === 0 ? "Event, as the hash of its signature" : `Indexed argument ${position}`,
    );
}

const ADDRESS_OR_TOPIC = "address and/or topic{x}";

/** Returns all missing parameters in one text: first the names, then the operators. */
function missing(parameters: RawParameters): Failure | undefined {
  const isGiven = (name: string) => parameters[name] !== undefined;
  const names: string[] = ["fromBlock", "toBlock"].filter((name) => !isGiven(name));
  if (!["address", ...TOPICS].some(isGiven)) names.push(ADDRESS_OR_TOPIC);
  const operators = PAIRS.filter(
    ({ first, second, name }) =>
      isGiven(`topic${first}`) && isGiven(`topic${second}`) && !isGiven(name),
  );
  const absent = names.length > 0 ? names : operators.map(({ name }) => name);
  const [first] = absent;
  if (first === undefined) return undefined;
  return failed("missing-parameter", `Required query parameters missing: ${absent.join(", ")}`, {
    parameter: first === ADDRESS_OR_TOPIC ? "address" : first,
  });
}

export const getLogs = defineAction({
  summary: "Logs of a range of blocks by address and topics, oldest first",
  params: z.object({
    fromBlock: block("fromBlock"),
    toBlock: block("toBlock"),
    address: address({ invalid: "Invalid address format" })
      .optional()
      .describe("Contract that emitted the logs; required without a topic"),
    topic0_1_opr: operator("topic0_1_opr"),
    topic0_2_opr: operator("topic0_2_opr"),
    topic0_3_opr: operator("topic0_3_opr"),
    topic1_2_opr: operator("topic1_2_opr"),
    topic1_3_opr: operator("topic1_3_opr"),
    topic2_3_opr: operator("topic2_3_opr"),
    topic0: topic(0),
    topic1: topic(1),
    topic2: topic(2),
    topic3: topic(3),
    ...paging(ROWS, ROWS),
    newest_first: flag("`true`: the newest first"),
  }),
  etherscanDefaults: {
    fromBlock: "0",
    toBlock: "latest",
    ...Object.fromEntries(PAIRS.map(({ name }) => [name, "and"])),
  },
  result: {
    blockscout: z.array(logRecord.blockscout),
    etherscan: z.array(logRecord.etherscan),
  },
  empty: { blockscout: "No logs found", etherscan: NO_RECORDS },
  example: {
    fromBlock: "0",
    toBlock: "latest",
    address: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
  },
  check: missing,
  cursor: "history",
  changesWithHead: true,
  async handle({ read, dialect, page }, input) {
    const topics = TOPICS.map((name) => input[name]);
    const given = [0, 1, 2, 3].filter((position) => topics[position] !== undefined);
    const operatorOf = (one: number, other: number): Operator => {
      const pair = PAIRS.find(({ first, second }) => first === one && second === other);
      return (pair && input[pair.name]) ?? "and";
    };
    const patterns = topicAlternatives(given, operatorOf).map((set) => ({
      address: input.address,
      topics: topics.map((value, position) => (set.includes(position) ? value : undefined)),
    }));
    const blocks = { from: input.fromBlock, to: input.toBlock };
    const order = input.newest_first ? "desc" : "asc";
    const search = (sql: Queryable) => searchLogs(sql, patterns, blocks, page, order);
    const rows = await read(search, "one statement");
    const keyOf = (row: LogEntry) => [row.blockNumber, row.logIndex];
    return okPage(page, rows, { keyOf, present: (row) => presentLog(row, dialect) });
  },
});

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, blockTime, publish, wordAt } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";

const HEAD = 30;
const LOGS_PER_BLOCK = 8;
const PAIRS = ["0_1", "0_2", "0_3", "1_2", "1_3", "2_3"];

interface Log {
  blockNumber: number;
  logIndex: number;
  address: Hex;
  topics: (Hex | null)[];
}

/** Few addresses and topics, in every combination and number. */
const logs: Log[] = Array.from({ length: (HEAD + 2) * LOGS_PER_BLOCK }, (_, index) => {
  const digit = (place: number) => Math.floor((index * 2654435761) / 3 ** (place * 2)) % 3;
  const count = index % 5;
  return {
    blockNumber: Math.floor(index / LOGS_PER_BLOCK),
    logIndex: index % LOGS_PER_BLOCK,
    address: addressAt(1 + digit(5)),
    topics: [0, 1, 2, 3].map((place) => (place < count ? wordAt(digit(place)) : null)),
  };
});

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: Array.from({ length: HEAD + 2 }, (_, blockNumber) => ({ blockNumber })),
    logs: logs.map(({ topics: [topic0, topic1, topic2, topic3], ...log }) => ({
      ...log,
      topic0: topic0 ?? null,
      topic1: topic1 ?? null,
      topic2: topic2 ?? null,
      topic3: topic3 ?? null,
      data: log.logIndex % 2 === 0 ? "0x" : "0x2a",
    })),
    // The last block is still being written.
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

const ANY = `address=${addressAt(1)}`;
const RANGE = "fromBlock=0&toBlock=latest";

recordedCases(() => server.app, "logs", {
  getLogs: {
    "by address": `${ANY}&fromBlock=0&toBlock=2`,
    "latest to latest": `${ANY}&fromBlock=latest&toBlock=latest`,
    nothing: "",
    "no blocks": ANY,
    "no toBlock": `fromBlock=0&topic0=${wordAt(1)}`,
    "neither address nor topic": RANGE,
    "no operators": `${RANGE}&topic0=${wordAt(1)}&topic1=${wordAt(1)}&topic3=${wordAt(1)}`,
    "names before operators": `fromBlock=0&topic0=x&topic1=y`,
    "bad blocks": `${ANY}&fromBlock=0x10&toBlock=pending`,
    "bad toBlock": `${ANY}&fromBlock=1&toBlock=`,
    "fromBlock above 64 bits": `${ANY}&fromBlock=9223372036854775808&toBlock=latest`,
    "bad address": `${RANGE}&address=${addressAt(1)},${addressAt(2)}&topic0_1_opr=AND`,
    "bad operators": `${RANGE}&topic0=x&topic1=y&topic0_1_opr=and&topic1_2_opr=&topic2_3_opr=AND`,
    "operator of absent topics": `${RANGE}&${ANY}&topic2_3_opr=nor`,
    "bad topics": `${RANGE}&topic0=${wordAt(1)}&topic1=0x1&topic2=0x2&topic0_1_opr=and&topic0_2_opr=or&topic1_2_opr=or`,
    "nothing found": `fromBlock=0&toBlock=99&topic0=${wordAt(77)}`,
    "blocks the wrong way round": `fromBlock=9&toBlock=8&${ANY}`,
    "below everything": `fromBlock=-9&toBlock=-5&${ANY}`,
    "largest block": `fromBlock=9223372036854775807&toBlock=9223372036854775807&${ANY}`,
    window: "page=11&offset=1000",
  },
});

/** The answer by looking at each log. */
function matching(query: URLSearchParams): Log[] {
  const topics = [0, 1, 2, 3].filter((position) => query.has(`topic${position}`));
  const matches = (log: Log, position: number) =>
    log.topics[position] === query.get(`topic${position}`)?.toLowerCase();
  const pairs = PAIRS.filter((pair) =>
    [...pair.split("_")].every((t) => topics.includes(Number(t))),
  );
  return logs.filter(
    (log) =>
      log.blockNumber <= HEAD &&
      log.blockNumber >= Number(query.get("fromBlock")) &&
      log.blockNumber <= Number(query.get("toBlock")) &&
      (query.get("address") ?? log.address) === log.address &&
      (topics.length !== 1 || matches(log, topics[0] ?? 0)) &&
      pairs.every((pair) => {
        const [first, second] = pair.split("_").map((topic) => matches(log, Number(topic)));
        return query.get(`topic${pair}_opr`) === "or" ? first || second : first && second;
      }),
  );
}

const placesOf = (rows: { blockNumber: string; logIndex: string }[]) =>
  rows.map((row) => `${Number(row.blockNumber)}/${Number(row.logIndex)}`);

async function searched(query: URLSearchParams): Promise<string[]> {
  return placesOf((await ask(server.app, `module=logs&action=getLogs&${query}`)).result);
}

describe("getLogs", () => {
  const topicOf = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined, freq: 2 });
  const requests = fc.record({
    from: fc.integer({ min: -1, max: HEAD + 2 }),
    blocks: fc.integer({ min: -1, max: HEAD }),
    address: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    topics: fc.tuple(topicOf, topicOf, topicOf, topicOf),
    operators: fc.array(fc.constantFrom("and", "or"), { minLength: 6, maxLength: 6 }),
    isNewestFirst: fc.boolean(),
  });

  test("finds what each log by itself tells, in every combination of topics and operators", async () => {
    const property = fc.asyncProperty(
      requests,
      async ({ from, blocks, address, topics, operators, isNewestFirst }) => {
        fc.pre(address !== undefined || topics.some((topic) => topic !== undefined));
        const query = new URLSearchParams({ fromBlock: `${from}`, toBlock: `${from + blocks}` });
        if (address !== undefined) query.set("address", addressAt(address));
        topics.forEach((topic, position) => {
          if (topic !== undefined)
            query.set(`topic${position}`, wordAt(topic).toUpperCase().replace("X", "x"));
        });
        for (const [index, pair] of PAIRS.entries()) {
          query.set(`topic${pair}_opr`, operators[index] ?? "and");
        }
        const expected = matching(query).map(
          ({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`,
        );
        if (isNewestFirst) {
          query.set("newest_first", "true");
          expected.reverse();
        }
        expect(await searched(query)).toEqual(expected);
      },
    );
    await fc.assert(property, { numRuns: 500, seed: 20_251_121 });
  });

  test.each(["false", "true"])(
    "pages what several branches find together, each log once: newest first %s",
    async (newestFirst) => {
      const query = new URLSearchParams({ fromBlock: "0", toBlock: "latest" });
      query.set("topic0", wordAt(1));
      query.set("topic1", wordAt(1));
      query.set("topic0_1_opr", "or");
      query.set("newest_first", newestFirst);
      const all = await searched(query);
      expect(all.length).toBeGreaterThan(30);
      const pages = [];
      for (let page = 1; page <= Math.ceil(all.length / 10) + 1; page++) {
        pages.push(
          await searched(new URLSearchParams([...query, ["page", `${page}`], ["offset", "10"]])),
        );
      }
      expect(pages.at(-1)).toEqual([]);
      expect(pages.flat()).toEqual(all);
    },
  );

  test("ignores an offset above 1000 and answers the first rows", async () => {
    const query = new URLSearchParams({ fromBlock: "0", toBlock: "latest", address: addressAt(1) });
    const all = await searched(query);
    query.set("offset", "1001");
    query.set("page", "2");
    expect(await searched(query)).toEqual([]);
    query.set("page", "1");
    expect(await searched(query)).toEqual(all);
  });

  test("takes an operator for and in Etherscan's dialect when there is none", async () => {
    const query = `${RANGE}&topic0=${wordAt(1)}&topic1=${wordAt(2)}`;
    const bare = await ask(server.app, `module=logs&action=getLogs&${query}`, "/v2/api");
    const both = await ask(server.app, `module=logs&action=getLogs&${query}&topic0_1_opr=and`);
    expect(bare.result.length).toBeGreaterThan(0);
    expect(placesOf(bare.result)).toEqual(placesOf(both.result));
  });

  test("searches the whole chain in Etherscan's dialect when no blocks are given", async () => {
    const bare = await ask(server.app, `module=logs&action=getLogs&${ANY}`, "/v2/api");
    const whole = await ask(server.app, `module=logs&action=getLogs&${ANY}&${RANGE}`);
    expect(placesOf(bare.result)).toEqual(placesOf(whole.result));
  });
});

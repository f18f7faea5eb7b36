import { expect, test } from "vitest";
import { compare, type Difference } from "../../src/kit/compare.ts";
import type { Web, WebAnswer } from "../../src/kit/web.ts";

type Parameters = Readonly<Record<string, string>>;

const TOKEN = `0x${"0a".repeat(20)}`;
const USER = `0x${"0b".repeat(20)}`;
const HEAD = { "block eth_block_number": { result: "0x10" } };

/** An explorer that answers by a function, and what it was asked. */
function explorer(answer: (parameters: Parameters) => WebAnswer): Web & { asked: Parameters[] } {
  const asked: Parameters[] = [];
  return {
    name: "explorer",
    asked,
    get: async ({ parameters = {} }) => {
      const known: Readonly<Record<string, WebAnswer>> = HEAD;
      const head = known[`${parameters["module"]} ${parameters["action"]}`];
      if (head) return head;
      asked.push(parameters);
      return answer(parameters);
    },
    post: () => Promise.reject(new Error("nothing is posted")),
  };
}

async function run(here: Web, there: Web, addresses: readonly string[] = [TOKEN]) {
  const found: Difference[] = [];
  const compared = await compare(here, there, addresses, (difference) => found.push(difference));
  return { ...compared, found };
}

const same = () => ({ status: "1", message: "OK", result: [{ field: "1", other: [{ a: "2" }] }] });
const keyOf = ({ action, ...rest }: Parameters) =>
  `${action} ${Object.entries(rest).find(([, value]) => value === TOKEN)?.[0]}`;

test("a field that differs is found in the answer to each question", async () => {
  const plain = explorer(same);
  await run(plain, explorer(same));
  const questions = plain.asked.map(keyOf);
  expect(new Set(questions).size).toBe(questions.length);
  expect(questions).toEqual(
    expect.arrayContaining([
      "txlist address",
      "tokentx contractaddress",
      "tokenlist address",
      "getLogs address",
      "getabi address",
      "getToken contractaddress",
      "tokenholderlist contractaddress",
      "tokensupply contractaddress",
    ]),
  );
  for (const question of questions) {
    const doctored = explorer((parameters) =>
      keyOf(parameters) === question
        ? { ...same(), result: [{ field: "1", other: [{ a: "3" }] }] }
        : same(),
    );
    const { differences, found } = await run(explorer(same), doctored);
    expect([question, differences]).toEqual([question, 1]);
    expect(found).toMatchObject([{ field: "result[0].other[0].a", here: '"2"', there: '"3"' }]);
  }
});

test("of a list that is longer than a page the end is compared, too", async () => {
  const list = (last: string) => (parameters: Parameters) => ({
    status: "1",
    result: Array.from({ length: parameters["action"] === "txlist" ? 100 : 1 }, () => ({
      hash: parameters["sort"] === "desc" ? last : "0x1",
    })),
  });
  const here = explorer(list("0x2"));
  const { found } = await run(here, explorer(list("0x3")));
  expect(found).toHaveLength(100);
  expect(new Set(found.map(({ question }) => question))).toEqual(new Set(["txlist desc"]));
  const sorts = here.asked.flatMap(({ action, sort }) => (action === "tokentx" ? [sort] : []));
  expect(sorts).toEqual(["asc", "asc"]);
});

test("lists reach up to the lower head, and what changes with the moment is no difference", async () => {
  const at = (confirmations: string) => () => ({ status: "1", result: [{ confirmations }] });
  const here = explorer(at("1"));
  expect(await run(here, explorer(at("2")))).toMatchObject({ differences: 0 });
  const ends = here.asked.flatMap(({ endblock, toBlock }) => endblock ?? toBlock ?? []);
  expect(ends.length).toBeGreaterThan(8);
  expect(new Set(ends)).toEqual(new Set(["16"]));
});

test("what differs for as long as one of the two has a block more is no difference", async () => {
  let asked = 0;
  const behind = explorer(({ action }) => ({
    status: "1",
    result: action === "balance" && asked++ === 0 ? "1" : "2",
  }));
  const here = explorer(() => ({ status: "1", result: "2" }));
  expect(await run(here, behind)).toMatchObject({ differences: 0 });
  expect(asked).toBe(2);
});

test.each([
  { status: "0", message: "Unknown action", result: null },
  { status: "0", message: "NOTOK", result: "Error! Missing Or invalid Action name" },
])("what one of the two does not have is told, and asked once: $message", async (refusal) => {
  const without = explorer(({ action }) => (action === "tokenlist" ? refusal : same()));
  const { differences, notCompared } = await run(explorer(same), without, [TOKEN, USER]);
  expect([differences, notCompared]).toEqual([0, ["tokenlist"]]);
  expect(without.asked.filter(({ action }) => action === "tokenlist")).toHaveLength(1);
});

test("the head of an explorer that has only Etherscan's question for it is known", async () => {
  const missing = {
    status: "0",
    message: "NOTOK",
    result: "Error! Missing Or invalid Action name",
  };
  const get: Web["get"] = async ({ parameters = {} }) => {
    if (parameters["action"] === "eth_block_number") return missing;
    return parameters["action"] === "eth_blockNumber" ? { result: "0x10" } : same();
  };
  const etherscan = { ...explorer(same), get };
  expect(await run(explorer(same), etherscan)).toMatchObject({ differences: 0 });
});

test("an explorer that does not answer differs", async () => {
  const silent = explorer(({ action }) => {
    if (action === "getabi") throw new Error("explorer does not answer");
    return same();
  });
  const { found } = await run(explorer(same), silent);
  expect(found.map(({ question }) => question)).toContain("getabi");
});

import { expect, test } from "vitest";
import { foldFields, type Input, parseUrlEncoded } from "../../../src/api/http/input/form.ts";
import { chooseChain } from "../../../src/api/serving/chains.ts";
import { RequestError } from "../../../src/core/errors.ts";

const WRONG =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";
const pearl = { name: "pearl", chainId: () => 7171 };
const coral = { name: "coral", chainId: () => 10 };
const unreached = {
  name: "unreached",
  chainId: (): number => {
    throw new RequestError(503, "node-unreachable", "not yet");
  },
};

function input(id: string | undefined, name = "chainid"): Input {
  return new Map(id === undefined ? [] : [[name, id]]);
}

const sent = (query: string): Input => foldFields(parseUrlEncoded(Buffer.from(query)));
const both = (chainid: string, chain_id: string): Input =>
  new Map(Object.entries({ chainid, chain_id }));

function outcome(
  chains: readonly { name: string; chainId(): number }[],
  query: Input,
  body: Input = new Map(),
): string {
  try {
    return chooseChain(chains, { query, body }).name;
  } catch (error) {
    return error instanceof RequestError ? `${error.httpStatus} ${error.message}` : String(error);
  }
}

// The wire contract's table: the request, and who answers with one served chain, and with two.
test.each<readonly [string, Input, Input, string, string]>([
  ["nothing", input(undefined), input(undefined), "pearl", `200 ${WRONG}`],
  ["an empty id", input(""), input(undefined), "pearl", `200 ${WRONG}`],
  ["an empty id twice", input(""), input(""), "pearl", `200 ${WRONG}`],
  ["the query's", input("7171"), input(undefined), "pearl", "pearl"],
  ["the body's", input(undefined), input("7171"), "pearl", "pearl"],
  ["another spelling of the name", input("7171", "chainId"), input(undefined), "pearl", "pearl"],
  ["both, the same", input("7171"), input("7171"), "pearl", "pearl"],
  ["Blockscout's spelling", input("10", "chain_id"), input(undefined), `200 ${WRONG}`, "coral"],
  ["it in the body", input(undefined), input("7171", "Chain_ID"), "pearl", "pearl"],
  ["it, empty", input("", "chain_id"), input(undefined), "pearl", `200 ${WRONG}`],
  ["both spellings, the same", both("7171", "7171"), input(undefined), "pearl", "pearl"],
  ["both, different ones", both("7171", "10"), input(undefined), `200 ${WRONG}`, `200 ${WRONG}`],
  ["an empty one beside it", both("", "10"), input(undefined), `200 ${WRONG}`, "coral"],
  ["it beside an empty one", both("10", ""), input(undefined), `200 ${WRONG}`, "coral"],
  [
    "an exact empty one",
    new Map([
      ["chainid", ""],
      ["chainId", "10"],
    ]),
    input(undefined),
    `200 ${WRONG}`,
    "coral",
  ],
  ...[
    "chainid=10&chainid=7171",
    "chainid=7171&chainid=10&chainid=7171",
    "chainId=10&chainid=7171",
    "chain_ID=10&chain_id=7171",
  ].map((query) => [query, sent(query), input(undefined), `200 ${WRONG}`, `200 ${WRONG}`] as const),
  ...["chainid=7171&chainid=7171", "chainid=&chainid=7171", "chainid=7171&chainid=&chainID="].map(
    (query) => [query, sent(query), input(undefined), "pearl", "pearl"] as const,
  ),
  [
    "one each in query and body",
    input("7171"),
    input("10", "chain_id"),
    `200 ${WRONG}`,
    `200 ${WRONG}`,
  ],
  ["both, one of them empty", input(""), input("7171"), "pearl", "pearl"],
  ["both, different", input("7171"), input("10"), `200 ${WRONG}`, `200 ${WRONG}`],
  ["the second chain's", input("10"), input(undefined), `200 ${WRONG}`, "coral"],
  ...[
    "1",
    "7171,10",
    "1,10",
    "0x1c03",
    "+7171",
    " 7171",
    "7171 ",
    "07171",
    "7171.0",
    "pearl",
    "null",
  ].map((id) => [id, input(id), input(undefined), `200 ${WRONG}`, `200 ${WRONG}`] as const),
])("%s", (_what, query, body, alone, beside) => {
  expect(outcome([pearl], query, body)).toBe(alone);
  expect(outcome([pearl, coral], query, body)).toBe(beside);
});

test("a chain whose id is not known yet may be the one that is meant", () => {
  expect(outcome([unreached], input(undefined))).toBe("unreached");
  expect(outcome([unreached], input("10"))).toBe("503 not yet");
  expect(outcome([unreached, coral], input("10"))).toBe("coral");
  expect(outcome([unreached, coral], input("7171"))).toBe("503 not yet");
});

import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import * as decoding from "../../../src/api/abi/decoding.ts";
import {
  type AbiIndex,
  createDecodingBudget,
  indexAbi,
  type LogData,
} from "../../../src/api/abi/decoding.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { addressAt, wordAt } from "../../support/build.ts";

const ABI = parseAbi([
  "function moor((address ship, uint32[] cargo, (string captain, bool aboard) crew) berth, bytes4 sign, int8[2] tides)",
  "function sail()",
  "event Moored(address indexed ship, string indexed name, uint256 weight, string note)",
  "error Full(uint256 places, string words)",
]);
const index = await indexAbi(JSON.stringify(ABI));

const decodeCall = (abis: readonly AbiIndex[], input: Hex) =>
  decoding.decodeCall(abis, input, createDecodingBudget());
const decodeError = (abis: readonly AbiIndex[], data: Hex) =>
  decoding.decodeError(abis, data, createDecodingBudget());
const decodeLog = (abis: readonly AbiIndex[], log: LogData) =>
  decoding.decodeLog(abis, log, createDecodingBudget());

const SHIP = addressAt(7);

test("a call is told by its signature, with structs and lists", () => {
  const input = encodeFunctionData({
    abi: ABI,
    functionName: "moor",
    args: [
      { ship: SHIP, cargo: [1, 2], crew: { captain: "0xABC", aboard: true } },
      "0x1234abcd",
      [-1, 5],
    ],
  });
  expect(decodeCall([index], input)).toEqual({
    signature: "moor((address,uint32[],(string,bool)),bytes4,int8[2])",
    parameters: [
      {
        name: "berth",
        type: "(address,uint32[],(string,bool))",
        value: [
          { name: "ship", type: "address", value: SHIP },
          { name: "cargo", type: "uint32[]", value: ["1", "2"] },
          {
            name: "crew",
            type: "(string,bool)",
            value: [
              { name: "captain", type: "string", value: "0xABC" },
              { name: "aboard", type: "bool", value: "true" },
            ],
          },
        ],
      },
      { name: "sign", type: "bytes4", value: "0x1234abcd" },
      { name: "tides", type: "int8[2]", value: ["-1", "5"] },
    ],
  });
});

test("a call without parameters has none", () => {
  const input = encodeFunctionData({ abi: ABI, functionName: "sail" });
  expect(decodeCall([index], input)).toEqual({ signature: "sail()", parameters: [] });
});

test("a log is told with the hash of what does not fit into a topic", () => {
  const topics = encodeEventTopics({
    abi: ABI,
    eventName: "Moored",
    args: { ship: SHIP, name: "Sea Lion" },
  }) as Hex[];
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "string" }], [12n, "heavy"]);
  expect(decodeLog([index], { topics, data })).toEqual({
    signature: "Moored(address,string,uint256,string)",
    parameters: [
      { name: "ship", type: "address", value: SHIP },
      { name: "name", type: "string", value: topics[2], hashed: true },
      { name: "weight", type: "uint256", value: "12" },
      { name: "note", type: "string", value: "heavy" },
    ],
  });
});

test("a log whose topics are not those of its event is not told", () => {
  const [event] = encodeEventTopics({ abi: ABI, eventName: "Moored", args: {} }) as Hex[];
  expect(decodeLog([index], { topics: [event ?? "0x"], data: "0x" })).toBeNull();
});

describe("errors", () => {
  const message = encodeAbiParameters([{ type: "string" }], ["no room"]).slice(2);
  const full = encodeAbiParameters([{ type: "uint256" }, { type: "string" }], [3n, "go away"]);

  test("that every contract may fail with need no ABI", () => {
    expect(decodeError([], `0x08c379a0${message}`)).toEqual({
      signature: "Error(string)",
      parameters: [{ name: "message", type: "string", value: "no room" }],
    });
    expect(decodeError([], `0x4e487b71${wordAt(0x11).slice(2)}`)?.signature).toBe("Panic(uint256)");
  });

  test("of a contract are told by its ABI", () => {
    const selector = [...index.errors.keys()][0] ?? "0x";
    expect(decodeError([index], `${selector}${full.slice(2)}`)?.parameters).toEqual([
      { name: "places", type: "uint256", value: "3" },
      { name: "words", type: "string", value: "go away" },
    ]);
  });

  test.each(["0x", "0x08c379", "0x08c379a0", "0x08c379a0ffff", `0x4e487b71${"ff".repeat(31)}`])(
    "that are cut off are not told: %s",
    (data) => {
      expect(decodeError([index], data as Hex)).toBeNull();
    },
  );
});

describe("types that small data could fill for ever", () => {
  const HUGE = "ff".repeat(32);
  const components = [{ type: "uint256[][][]", name: "" }];
  test.each([
    ["a list of nothing", { type: "tuple[]", components: [] }],
    ["a list of lists of no places", { type: "uint8[0][]" }],
    ["very many places", { type: "uint8[1000000][1000000]" }],
    ["more levels than anybody needs", { type: `uint8${"[]".repeat(40)}` }],
    ["an unknown type", { type: "sail" }],
    ["members without an end", { type: "tuple[4096][]", components }],
  ])("%s", async (_name, input) => {
    const abi = [{ type: "function", name: "f", inputs: [{ name: "x", ...input }] }];
    const hostile = await indexAbi(JSON.stringify(abi));
    const selector = [...hostile.functions.keys()][0] ?? "0x";
    const words = [wordAt(32).slice(2), HUGE, wordAt(32).slice(2), wordAt(0).slice(2)];
    expect(decodeCall([hostile], `${selector}${words.join("")}` as Hex)).toBeNull();
  });

  test("names that are properties of every object are names like others", async () => {
    const components = [
      { name: "__proto__", type: "uint256" },
      { name: "toString", type: "uint256" },
      { name: "toString", type: "uint256" },
    ];
    const abi = [
      { type: "function", name: "f", inputs: [{ name: "x", type: "tuple", components }] },
    ];
    const strange = await indexAbi(JSON.stringify(abi));
    const selector = [...strange.functions.keys()][0] ?? "0x";
    const input = `${selector}${[1, 2, 3].map((value) => wordAt(value).slice(2)).join("")}` as Hex;
    const [tuple] = decodeCall([strange], input)?.parameters ?? [];
    const members = tuple?.value as { value: string }[] | undefined;
    expect(members?.map(({ value }) => BigInt(value))).toEqual(
      [1, 2, 3].map((value) => BigInt(wordAt(value))),
    );
  });

  test.each([
    "null",
    "[null]",
    "[1]",
    '[{"type":"function"}]',
    '[{"type":"function","name":"f","inputs":7}]',
  ])("an ABI that is none has no entries that harm: %s", async (abi) => {
    expect(() => indexAbi(abi)).not.toThrow();
  });
});

import { encodeFunctionData, parseAbi } from "viem";
import { expect, test } from "vitest";
import { encodeCall } from "../../../src/api/abi/abi.ts";
import { indexAbi } from "../../../src/api/abi/decoding.ts";
import { addressAt } from "../../support/build.ts";

const ABI = parseAbi([
  "function moor((address ship, uint32[] cargo, (string captain, bool aboard) crew) berth, bytes4 sign, int8[2] tides)",
  "function sail()",
]);
const { functions } = await indexAbi(JSON.stringify(ABI));
const entry = (name: string) => {
  const found = [...functions].find(([, { signature }]) => signature.startsWith(`${name}(`));
  if (!found) throw new Error(`the ABI has no ${name}`);
  return found;
};
const [selector, moor] = entry("moor");
const [sailSelector, sail] = entry("sail");
const SHIP = addressAt(7);

test("arguments as JSON has them make the data that viem makes", () => {
  const values = [[SHIP, ["1", 2], ["Ada", true]], "0x1234abcd", ["-1", "0x05"]];
  expect(encodeCall(selector, moor.inputs, JSON.parse(JSON.stringify(values)))).toBe(
    encodeFunctionData({
      abi: ABI,
      functionName: "moor",
      args: [
        { ship: SHIP, cargo: [1, 2], crew: { captain: "Ada", aboard: true } },
        "0x1234abcd",
        [-1, 5],
      ],
    }),
  );
  expect(encodeCall(sailSelector, sail.inputs, [])).toBe(sailSelector);
});

const CREW = ["Ada", true];
test.each([
  ["too few", []],
  ["too many", [[SHIP, [], CREW], "0x1234abcd", [1, 2], 3]],
  ["no address", [["0x12", [], CREW], "0x1234abcd", [1, 2]]],
  ["a struct that lacks members", [[SHIP, []], "0x1234abcd", [1, 2]]],
  ["an object for a struct", [{ ship: SHIP }, "0x1234abcd", [1, 2]]],
  ["text for a list", [[SHIP, "1,2", CREW], "0x1234abcd", [1, 2]]],
  ["a number that is none", [[SHIP, ["1e9"], CREW], "0x1234abcd", [1, 2]]],
  ["a number without an end", [[SHIP, ["9".repeat(1000)], CREW], "0x1234abcd", [1, 2]]],
  ["a number beyond its type", [[SHIP, ["4294967296"], CREW], "0x1234abcd", [1, 2]]],
  ["a list of another length", [[SHIP, [], CREW], "0x1234abcd", [1]]],
  ["bytes of another length", [[SHIP, [], CREW], "0x12", [1, 2]]],
  ["nothing", [null, null, null]],
  [
    "a number that JSON did not keep",
    [[SHIP, [Number("12345678901234567890")], CREW], "0x1234abcd", [1, 2]],
  ],
  ["a word for a boolean", [[SHIP, [], ["Ada", "nonsense"]], "0x1234abcd", [1, 2]]],
  ["a number for a boolean", [[SHIP, [], ["Ada", 1]], "0x1234abcd", [1, 2]]],
  ["nothing for a text", [[SHIP, [], [null, true]], "0x1234abcd", [1, 2]]],
  ["an object for a text", [[SHIP, [], [{}, true]], "0x1234abcd", [1, 2]]],
])("arguments that are not of the types make none: %s", (_name, values) => {
  expect(encodeCall(selector, moor.inputs, values)).toBeUndefined();
});

test("an address is an address in any capitals", () => {
  const values = (ship: string) => [[ship, [], CREW], "0x1234abcd", [1, 2]];
  const mixed = "0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF";
  const expected = encodeCall(selector, moor.inputs, values(mixed.toLowerCase()));
  expect(expected).toBeDefined();
  expect(encodeCall(selector, moor.inputs, values(mixed))).toBe(expected);
  expect(encodeCall(selector, moor.inputs, values(mixed.replace("FFfF", "ffFF")))).toBe(expected);
});

import { expect, test } from "vitest";
import { type CborValue, decodeCbor } from "../../../../src/verification/match/metadata/cbor.ts";

function decode(hex: string): CborValue | undefined {
  return decodeCbor(Buffer.from(hex, "hex"));
}

test("reads what compilers write", () => {
  expect(decode("a2646970667340627362" + "41ff")).toEqual(
    new Map([
      ["ipfs", Buffer.alloc(0)],
      ["sb", Buffer.from("ff", "hex")],
    ]),
  );
  expect(decode("83190100" + "1818" + "a16568656c6c6ff5")).toEqual([
    256,
    24,
    new Map([["hello", true]]),
  ]);
  expect(decode("1a00010000")).toBe(65_536);
  expect(decode("f4")).toBe(false);
  expect(decode("f6")).toBeNull();
});

test.each([
  ["nothing", ""],
  ["bytes behind the value", "0000"],
  ["a value that ends too early", "a1"],
  ["a text longer than what is there", "7a7fffffff"],
  ["a list that claims more items than there are bytes", "9a7fffffff"],
  ["a negative number", "20"],
  ["a tag", "c000"],
  ["a float", "f90000"],
  ["a length of eight bytes", "1b0000000000000001"],
  ["a length without an end", "5f"],
  ["a key that is no text", "a10000"],
  ["a key that stands twice", "a2616100616101"],
  ["a length in more bytes than it takes", "5801ff"],
  ["a number that fits its first byte", "1817"],
  ["a number in more bytes than it takes", "1900ff"],
  ["lists in lists without an end", "81".repeat(100)],
])("takes %s for no CBOR", (_what, hex) => {
  expect(decode(hex)).toBeUndefined();
});

import { expect, test } from "vitest";
import { returnedSameCode } from "../../../src/verification/match/similar.ts";
import { addressAt } from "../../support/build.ts";
import { bytes, compiled, solcMetadata } from "../../support/compiled-code.ts";

const [OWN, OTHER] = [solcMetadata("11"), solcMetadata("22")];

/** Code with two immutables of a byte each, and metadata. */
function codeOf(first: string, second: string, metadata = OWN): Buffer {
  return Buffer.concat([bytes("60", first, "60", second), metadata]);
}

const trialled = {
  compiled: compiled(codeOf("00", "00"), {
    immutables: [
      { id: "1", offset: 1, length: 1 },
      { id: "2", offset: 3, length: 1 },
    ],
    auxdata: [{ id: "1", offset: 4, value: OWN }],
  }),
  onChain: codeOf("aa", "bb", OTHER),
  address: addressAt(1),
};

test("the same code is returned when only the metadata differs", () => {
  expect(returnedSameCode(trialled, trialled.onChain)).toBe(true);
  expect(returnedSameCode(trialled, codeOf("aa", "bb"))).toBe(true);
  expect(returnedSameCode(trialled, codeOf("aa", "bc"))).toBe(false);
  expect(returnedSameCode(trialled, bytes("6001"))).toBe(false);
  const unlike = { ...trialled, onChain: bytes("6001") };
  expect(returnedSameCode(unlike, bytes("6002"))).toBe(false);
  expect(returnedSameCode(unlike, codeOf("aa", "bb"))).toBe(false);
  expect(returnedSameCode(unlike, bytes("6001"))).toBe(true);
});

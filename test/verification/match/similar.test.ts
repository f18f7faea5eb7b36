import { expect, test } from "vitest";
import { blankedHash, fingerprintOf } from "../../../src/verification/match/similar.ts";

const NONE = { libraries: [], immutables: [], auxdata: [] };

/** The fingerprint of ten bytes of code, the last two of them metadata. */
function fingerprint(onChain: Buffer) {
  const bytes = Buffer.from("600160026003600400ff", "hex");
  const auxdata = [{ id: "1", offset: 8, value: Buffer.from("00ff", "hex") }];
  const compiledRuntime = { ...NONE, bytes, auxdata };
  const compiledCreation = { ...NONE, bytes: Buffer.alloc(0) };
  const match = { quality: "full" as const, transformations: [], values: {} };
  return fingerprintOf(
    { runtime: match, creation: null, compiledRuntime, compiledCreation },
    match,
    onChain,
  );
}

test("code that differs in the metadata alone has the same fingerprint, other code has not", () => {
  const found = fingerprint(Buffer.from("60016002600360041234", "hex"));
  expect(found).toMatchObject({ length: 10, mask: [[8, 2]] });
  expect(blankedHash(Buffer.from("60016002600360045678", "hex"), found?.mask ?? [])).toBe(
    found?.hash,
  );
  expect(blankedHash(Buffer.from("60016002600360055678", "hex"), found?.mask ?? [])).not.toBe(
    found?.hash,
  );
});

test("a blueprint has none: it holds creation code, in which the places are others", () => {
  expect(fingerprint(Buffer.from("fe710060016002600360041234", "hex"))).toBeNull();
});

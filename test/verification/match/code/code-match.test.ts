import { describe, expect, test } from "vitest";
import {
  fillSlots,
  finishMatching,
  firstDifference,
  isMatch,
  recordAuxdata,
  replaceAuxdata,
  startMatching,
} from "../../../../src/verification/match/code/code-match.ts";
import {
  bareMetadata,
  bytes,
  compiled,
  matched,
  solcMetadata,
} from "../../../support/compiled-code.ts";

describe("places that deployment fills in", () => {
  const slots = [
    { id: "7", offset: 1, length: 2 },
    { id: "8", offset: 3, length: 1 },
    { id: "7", offset: 4, length: 2 },
  ];

  test.each(["library", "immutable"] as const)("get the bytes on chain (%s)", (reason) => {
    const matching = startMatching(compiled(bytes("60", "0000", "00", "0000")));
    expect(fillSlots(matching, slots, bytes("60", "aabb", "cc", "aabb"), reason)).toBeUndefined();
    expect(matching.bytes).toEqual(bytes("60", "aabb", "cc", "aabb"));
    expect(matching.transformations).toEqual(
      slots.map(({ id, offset }) => ({ type: "replace", reason, offset, id })),
    );
    const values = { "7": "0xaabb", "8": "0xcc" };
    expect(matching.values).toEqual(
      reason === "library" ? { libraries: values } : { immutables: values },
    );
  });

  test("hold one value for one variable", () => {
    const matching = startMatching(compiled(bytes("60", "0000", "00", "0000")));
    expect(fillSlots(matching, slots, bytes("60", "aabb", "cc", "aabc"), "immutable")).toBe(
      slots[2],
    );
  });

  test("leave nothing behind where there are none, and the compiled code as it is", () => {
    const code = compiled(bytes("6000"));
    const matching = startMatching(code);
    expect(fillSlots(matching, [], bytes("6001"), "library")).toBeUndefined();
    expect(matching.values).toEqual({});
    fillSlots(matching, [{ id: "1", offset: 1, length: 1 }], bytes("6001"), "library");
    expect(code.bytes).toEqual(bytes("6000"));
  });
});

describe("metadata on chain", () => {
  const own = solcMetadata("11");
  const auxdata = [{ id: "1", offset: 1, value: own }];
  const replaced = (there: Buffer) => {
    const matching = startMatching(compiled(Buffer.concat([bytes("fe"), own, bytes("5b")])));
    replaceAuxdata(matching, auxdata, Buffer.concat([bytes("fe"), there, bytes("5b")]));
    return matching;
  };

  test("takes the place of the compiled one when it is of the same compiler", () => {
    const there = solcMetadata("22");
    expect(replaced(there)).toEqual({
      bytes: Buffer.concat([bytes("fe"), there, bytes("5b")]),
      transformations: [{ type: "replace", reason: "cborAuxdata", offset: 1, id: "1" }],
      values: { cborAuxdata: { "1": `0x${there.toString("hex")}` } },
    });
  });

  test.each([
    ["is the same", own],
    ["is of another compiler", solcMetadata("22", "000815")],
    ["is other code", Buffer.alloc(own.length)],
  ])("changes nothing when it %s", (_case, there) => {
    expect(replaced(there).transformations).toEqual([]);
    expect(replaced(there).bytes.subarray(1, -1)).toEqual(own);
  });

  test("is recorded with its value, when it has one and a name", () => {
    const matching = startMatching(compiled(bytes("60")));
    const step = { type: "replace", reason: "cborAuxdata", offset: 3 } as const;
    recordAuxdata(matching, { ...step, id: "1" }, bytes("aa"));
    recordAuxdata(matching, { ...step, id: "2" }, bytes("bb"));
    recordAuxdata(matching, { ...step, id: "3" }, null);
    recordAuxdata(matching, step, bytes("cc"));
    expect(matching.transformations).toHaveLength(4);
    expect(matching.values).toEqual({ cborAuxdata: { "1": "0xaa", "2": "0xbb" } });
  });
});

describe("a match is full", () => {
  const finished = (told: Buffer[], reason?: "cborAuxdata" | "library") => {
    const matching = startMatching(compiled(bytes("60")));
    if (reason) matching.transformations.push({ type: "replace", reason, offset: 0, id: "1" });
    return finishMatching(matching, told).quality;
  };

  test("with metadata that all holds a hash, whatever else was filled in", () => {
    expect(finished([solcMetadata("11"), solcMetadata("22")])).toBe("full");
    expect(finished([solcMetadata()], "library")).toBe("full");
  });

  test("not without metadata, with a part that has no hash, or with other metadata", () => {
    expect(finished([])).toBe("partial");
    expect(finished([solcMetadata(), bareMetadata()])).toBe("partial");
    expect(finished([bytes("6001")])).toBe("partial");
    expect(finished([solcMetadata()], "cborAuxdata")).toBe("partial");
  });
});

test.each([
  ["6001", "6001", 2],
  ["6001", "7001", 0],
  ["600102", "600103", 2],
  ["6001", "600102", 2],
  ["600102", "6001", 2],
])("%s and %s part at byte %d", (left, right, offset) => {
  expect(firstDifference(bytes(left), bytes(right))).toBe(offset);
});

test("an outcome is a match or tells why not", () => {
  expect(isMatch(matched())).toBe(true);
  expect(isMatch({ kind: "empty" })).toBe(false);
});

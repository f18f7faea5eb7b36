import { describe, expect, test } from "vitest";
import {
  collectAuxdata,
  hasInnerAuxdata,
  markAuxdata,
  markAuxdataAtEnd,
  oldAuxdata,
} from "../../../../src/verification/match/metadata/auxdata.ts";
import { swarmHash } from "../../../../src/verification/match/metadata/content-hash.ts";
import { bareMetadata, bytes, compiled, solcMetadata } from "../../../support/compiled-code.ts";

const [FIRST, SECOND] = [solcMetadata("11"), solcMetadata("22")];
const CODE = bytes("600160025b");

describe("the metadata that solc reports", () => {
  test("is collected by its place in the tree of assemblies", () => {
    const child = { ".auxdata": "cc", ".code": [], ".data": { ABCD: "6001" } };
    const runtime = { ".auxdata": "bb", ".data": { "0": child, "1": null } };
    expect(collectAuxdata({ ".auxdata": "aa", ".data": { "0": runtime } })).toEqual(
      new Map([
        ["", bytes("aa")],
        ["/0", bytes("bb")],
        ["/0/0", bytes("cc")],
      ]),
    );
  });

  test.each([undefined, null, "6001", { ".auxdata": 7, ".data": null }, { ".data": "aa" }])(
    "is none in %j",
    (assembly) => {
      expect(collectAuxdata(assembly)).toEqual(new Map());
    },
  );

  test("is looked for in 64 assemblies within one another", () => {
    let tree: object = { ".auxdata": "aa" };
    for (let depth = 0; depth < 70; depth++) tree = { ".auxdata": "bb", ".data": { "0": tree } };
    expect(collectAuxdata(tree).size).toBe(65);
  });
});

describe("metadata at the end of the code", () => {
  test("is marked when the compiler reported it for this contract", () => {
    const code = compiled(Buffer.concat([CODE, SECOND]));
    const told = new Map([
      ["", FIRST],
      ["/0", SECOND],
    ]);
    expect(markAuxdataAtEnd(code, told)).toEqual({
      ...code,
      auxdata: [{ id: "1", offset: CODE.length, value: SECOND }],
    });
    expect(markAuxdataAtEnd(code, new Map([["/0", FIRST]]))).toBe(code);
    expect(markAuxdataAtEnd(code, new Map([["/0/0", SECOND]]))).toBe(code);
    expect(markAuxdataAtEnd(code, new Map())).toBe(code);
  });
});

test("metadata that is not reported holds the hash of its text", () => {
  const hash = swarmHash(Buffer.from("{}"), "bzzr0").toString("hex");
  expect(oldAuxdata("{}")).toEqual(bytes("a165627a7a72305820", hash, "0029"));
});

test.each<[string, Buffer[], boolean]>([
  ["nothing is reported", [], false],
  ["it is at the end alone", [FIRST], false],
  ["it is elsewhere alone", [SECOND], true],
  ["there is more than one", [FIRST, SECOND], true],
  ["the same is reported twice", [FIRST, FIRST], false],
  ["one of two has a hash", [bareMetadata(), FIRST], true],
  ["none has a hash", [bareMetadata(), bareMetadata("000815")], false],
])("metadata is looked for within the creation code: %s", (_case, values, expected) => {
  const told = new Map(values.map((value, index) => [`/${index}`, value]));
  expect(hasInnerAuxdata(compiled(Buffer.concat([CODE, FIRST])), told)).toBe(expected);
});

describe("metadata that two compiles show", () => {
  const [otherFirst, otherSecond] = [solcMetadata("33"), solcMetadata("44")];
  const codeOf = (...parts: Buffer[]) => compiled(Buffer.concat(parts));
  const told = (...values: Buffer[]) => new Map(values.map((value, index) => [`/${index}`, value]));

  test("is marked wherever both have their own, in the order of places", () => {
    const marked = markAuxdata(
      codeOf(SECOND, CODE, FIRST, FIRST),
      told(FIRST, SECOND),
      codeOf(otherSecond, CODE, otherFirst, otherFirst),
      told(otherFirst, otherSecond),
    );
    const size = FIRST.length;
    expect(marked.auxdata).toEqual([
      { id: "1", offset: 0, value: SECOND },
      { id: "2", offset: size + CODE.length, value: FIRST },
      { id: "3", offset: 2 * size + CODE.length, value: FIRST },
    ]);
  });

  test("does not hold what an author planted: it is the same in both", () => {
    const [code, other] = [codeOf(FIRST, CODE, FIRST), codeOf(FIRST, CODE, otherFirst)];
    expect(markAuxdata(code, told(FIRST), other, told(otherFirst)).auxdata).toEqual([
      { id: "1", offset: FIRST.length + CODE.length, value: FIRST },
    ]);
    expect(markAuxdata(code, told(FIRST), code, told(FIRST)).auxdata).toEqual([]);
  });

  test("is not what the second compile does not report, or reports with another length", () => {
    const code = codeOf(FIRST, CODE);
    expect(markAuxdata(code, told(FIRST), code, told()).auxdata).toEqual([]);
    expect(markAuxdata(code, told(FIRST), code, told(bareMetadata())).auxdata).toEqual([]);
  });

  test("is only that at the end when the codes have different lengths", () => {
    const code = codeOf(FIRST, CODE, FIRST);
    const other = codeOf(otherFirst, CODE, otherFirst, CODE);
    expect(markAuxdata(code, told(FIRST), other, told(otherFirst)).auxdata).toEqual([
      { id: "1", offset: FIRST.length + CODE.length, value: FIRST },
    ]);
  });
});

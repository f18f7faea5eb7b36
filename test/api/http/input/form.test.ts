import { expect, test } from "vitest";
import { foldFields, parseUrlEncoded } from "../../../../src/api/http/input/form.ts";

const first = { fileName: "a.sol", content: "a" };
const second = { fileName: "b.sol", content: "b" };

test("reads names and values, blanks as plus signs and UTF-8 in percent signs", () => {
  expect(parseUrlEncoded(Buffer.from("a=1+2&b=%C3%A9%2B&c&=d&&e=f=g"))).toEqual([
    ["a", "1 2"],
    ["b", "é+"],
    ["c", ""],
    ["", "d"],
    ["e", "f=g"],
  ]);
});

test("files[] is a list, files[0] a map, and either stands in for files", () => {
  expect(
    foldFields([
      ["files[]", first],
      ["files[]", second],
    ]),
  ).toEqual(new Map([["files", [first, second]]]));
  expect(
    foldFields([
      ["files[1]", second],
      ["files[0]", first],
    ]),
  ).toEqual(new Map([["files", { 0: first, 1: second }]]));
});

test("several files of one name are a list, one file stays itself, of texts the last counts", () => {
  expect(
    foldFields([
      ["files", first],
      ["files", second],
      ["other", first],
      ["text", "1"],
      ["text", "2"],
    ]),
  ).toEqual(
    new Map<string, unknown>([
      ["files", [first, second]],
      ["other", first],
      ["text", "2"],
    ]),
  );
});

test("other bracketed names are ignored", () => {
  expect(
    foldFields([
      ["files[x]", "1"],
      ["address[]", "2"],
      ["a[0][b]", "3"],
    ]),
  ).toEqual(new Map());
});

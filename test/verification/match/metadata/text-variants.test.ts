import { expect, test } from "vitest";
import {
  TEXT_CHANGES,
  textVariants,
} from "../../../../src/verification/match/metadata/variants.ts";

function variantsOf(text: string): string[] {
  return [...new Set(TEXT_CHANGES.map((change) => change(text)))];
}

test("a text as it is comes first, then with other ends of lines and of the file", () => {
  expect(variantsOf("a\nb\n")).toEqual([
    "a\nb\n",
    "a\nb",
    "a\nb\n\n",
    "a\nb\n ",
    "a\r\nb\r\n",
    "a\r\nb",
    "a\r\nb\r\n\r\n",
    "a\r\nb\r\n ",
  ]);
});

test("lines that end in different ways end as those of Windows", () => {
  expect(variantsOf("a\r\nb\n")).toContain("a\r\nb\r\n");
  expect(TEXT_CHANGES[2]?.("a\r\nb\n")).toBe("a\r\nb\r\n");
  expect(TEXT_CHANGES[1]?.("a\nb\r\r\n\n")).toBe("a\nb");
});

test("of a text of nothing but line ends nothing is left", () => {
  expect(TEXT_CHANGES[1]?.("\n\r\n")).toBe("");
});

test("texts are changed alike, each result once, in lists of those whose lines end alike", () => {
  const listed = [
    ...textVariants(
      new Map([
        ["a", "a\r\n"],
        ["b", "b"],
      ]),
      "a",
    ),
  ].slice(0, 3);
  expect(listed.map(({ lines }) => [...lines.values()])).toEqual([
    ["a\r\n", "b"],
    ["a\n", "b"],
    ["a\r\n", "b"],
  ]);
  expect(listed.map(({ variants }) => variants.map((variant) => [...variant.values()]))).toEqual([
    [
      ["a\r\n", "b"],
      ["a", "b"],
      ["a\r\n", "b\n"],
      ["a\r\n\r\n", "b\n\n"],
      ["a\r\n ", "b "],
    ],
    [
      ["a\n", "b"],
      ["a\n", "b\n"],
      ["a\n\n", "b\n\n"],
      ["a\n ", "b "],
    ],
    [
      ["a\r\n", "b\r\n"],
      ["a\r\n\r\n", "b\r\n\r\n"],
    ],
  ]);
});

test("then the lines of one folder are changed, and those of the others", () => {
  const texts = new Map([
    ["work/src/main/A.sol", "a\n"],
    ["work/src/B.sol", "b\n"],
    ["work/lib/C.sol", "c\r\n"],
  ]);
  const listed = [...textVariants(texts, "work/src/main/A.sol")].slice(3);
  expect(listed.map(({ lines }) => [...lines.values()])).toEqual([
    ["a\n", "b\n", "c\r\n"],
    ["a\n", "b\n", "c\n"],
    ["a\r\n", "b\r\n", "c\r\n"],
    ["a\n", "b\n", "c\r\n"],
  ]);
});

test("of one file there is no other folder", () => {
  const listed = [...textVariants(new Map([["src/A.sol", "a\n"]]), "src/A.sol")].slice(3);
  expect(listed.flatMap(({ variants }) => variants)).toEqual([]);
});

test("texts of more than 2,097,152 characters are not changed", () => {
  const variants = (length: number) => [...textVariants(new Map([["a", "x".repeat(length)]]), "a")];
  expect(variants(2 * 1024 * 1024)).not.toEqual([]);
  expect(variants(2 * 1024 * 1024 + 1)).toEqual([]);
});

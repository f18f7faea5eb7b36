import { expect, test } from "vitest";
import { TEXT_CHANGES } from "../../../src/verification/match/text-variants.ts";

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

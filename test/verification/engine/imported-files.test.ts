import { expect, test } from "vitest";
import { vyperPragmas } from "../../../src/verification/engine/kept-sources.ts";

test.each([
  ["#pragma optimize none", [["optimize", "none"]]],
  ["  #   pragma   evm-version   cancun  ", [["evm-version", "cancun"]]],
  ["# pragma optimize\t none", [["optimize\t", "none"]]],
  ["#\u001cpragma optimize none\u0085", [["optimize", "none"]]],
  ["#\ufeffpragma optimize none", []],
  ["# pragmas optimize none", []],
  ["x: String[30] = '# pragma optimize none'", []],
  ['"""\n# pragma optimize none\n"""', []],
  ["# pragma enable-decimals", []],
])("the pragmas of %j are those of Vyper's pre-parser", (text, pragmas) => {
  expect([...vyperPragmas(text)]).toEqual(pragmas);
});

test.each(["# pragma enable-decimals", "# pragma", "#", "# pragma optimize none"])(
  "a million blanks behind %j are read once",
  (comment) => {
    const blanks = " ".repeat(1_000_000);
    expect(vyperPragmas(`${comment}${blanks}`)).toEqual(vyperPragmas(comment));
  },
);

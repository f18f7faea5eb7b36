import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "../../../src/core/json/json-scan.ts";

const UNBOUNDED = { depth: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY };
const scan = (text: string, bounds = UNBOUNDED) => scanJson(Buffer.from(text), bounds);

/** Computes the cost of a value's text from the value. */
function costOf(value: unknown): { depth: number; tokens: number } {
  if (typeof value === "string") return { depth: 0, tokens: 1 };
  if (typeof value !== "object" || value === null) return { depth: 0, tokens: 0 };
  const inner = Object.values(value).map(costOf);
  const commas = Math.max(0, inner.length - 1);
  const keys = Array.isArray(value) ? 0 : 2 * inner.length;
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    tokens: 2 + commas + keys + inner.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

test("passes exactly what is within both bounds", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const { depth, tokens: counted } = costOf(JSON.parse(text));
      const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, "").length;
      const tokens = counted + Math.floor(outside / 100);
      expect(scan(text, { depth, tokens }).kind).toBe("fits");
      if (depth > 0) {
        expect(scan(text, { depth: depth - 1, tokens: UNBOUNDED.tokens }).kind).toBe("too-deep");
      }
      if (tokens > 0) {
        expect(scan(text, { depth: UNBOUNDED.depth, tokens: tokens - 1 }).kind).toBe("too-many");
      }
    }),
  );
});

test("tells the outermost strings of an object", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue())), (object) => {
      const text = Buffer.from(JSON.stringify(object));
      const found = scanJson(text, UNBOUNDED);
      const expected = Object.entries(JSON.parse(text.toString()) as object).flatMap(
        ([name, value]) => (typeof value === "string" ? [name, value] : [name]),
      );
      expect(
        found.kind === "fits" &&
          found.strings.map(([start, end]) => JSON.parse(text.toString("utf8", start, end))),
      ).toEqual(expected);
    }),
  );
});

test("ends a long text at its quote, wherever escapes stand in it", () => {
  const plain = fc.nat(10_000).map((length) => "x".repeat(length));
  const backslashes = fc.nat(10_000).map((length) => "\\".repeat(length));
  const controls = fc.nat(2_000).map((length) => "\u0001".repeat(length));
  const text = fc.array(fc.oneof(plain, backslashes, controls, fc.constantFrom('"', "\\", "\n")), {
    maxLength: 9,
  });
  fc.assert(
    fc.property(text, (parts) => {
      const string = JSON.stringify(parts.join(""));
      const found = scan(`[${string},1]`);
      expect(found).toEqual({ kind: "fits", strings: [[1, 1 + string.length]] });
    }),
  );
});

test.each(['"', '"\\', "]]]", "", "[[["])("ends with text that is no JSON: %s", (text) => {
  expect(scan(text).kind).toBe("fits");
});

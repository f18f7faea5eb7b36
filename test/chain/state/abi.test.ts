import fc from "fast-check";
import { stringToHex } from "viem";
import { describe, expect, test } from "vitest";
import { cleanText, decodeText, decodeUint, decodeUint8 } from "../../../src/chain/state/abi.ts";
import { type Hex, hexConcat, hexFromBytes, hexLength } from "../../../src/core/evm/hex.ts";
import { word } from "../../support/scripted-node/ledger.ts";

/** The ABI form of a `string`. */
function abiString(bytes: Hex): Hex {
  const padding: Hex = `0x${"00".repeat((32 - (hexLength(bytes) % 32)) % 32)}`;
  return hexConcat(word(32), word(hexLength(bytes)), bytes, padding);
}

function bytes32(text: string): Hex {
  return `0x${stringToHex(text).slice(2).padEnd(64, "0")}`;
}

describe("text of a contract", () => {
  test.each([
    ["a string", abiString(stringToHex("Wrapped Ether")), "Wrapped Ether"],
    ["an empty string", abiString("0x"), ""],
    ["a string longer than a word", abiString(stringToHex("ä".repeat(100))), "ä".repeat(100)],
    ["a bytes32", bytes32("Maker"), "Maker"],
    ["a bytes32 of zeros", word(0), ""],
    ["a full bytes32", bytes32("x".repeat(32)), "x".repeat(32)],
    ["a string without padding", hexConcat(word(32), word(3), "0x616263"), "abc"],
    ["a string somewhere behind", hexConcat(word(64), word(9), word(1), "0x61"), "a"],
  ])("is read from %s", (_, answer, text) => {
    expect(decodeText(answer)).toBe(text);
  });

  test.each([
    ["nothing", "0x" as Hex],
    ["less than a word", "0x1234" as Hex],
    ["an offset beyond the end", hexConcat(word(640), word(1))],
    ["an enormous offset", hexConcat(word(2n ** 256n - 1n), word(1))],
    ["a length beyond the end", hexConcat(word(32), word(64), word(1))],
    ["an enormous length", hexConcat(word(32), word(2n ** 255n), word(1))],
    ["more than 64 KB", abiString(`0x${"61".repeat(65_536)}`)],
  ])("is not found in %s", (_, answer) => {
    expect(decodeText(answer)).toBeNull();
  });

  test("is not found where the call failed", () => {
    expect(decodeText(null)).toBeNull();
  });

  test.each([
    ["NUL and other control characters", "\0a\u0007b\u009fc\n", "abc"],
    ["line separators", "a\u2028b\u2029c", "abc"],
    ["blanks around", "  name\t ", "name"],
    ["more than 255 characters", "😀".repeat(300), "😀".repeat(255)],
  ])("is cleaned of %s", (_, dirty, clean) => {
    expect(decodeText(abiString(stringToHex(dirty)))).toBe(clean);
  });

  test("is cleaned of broken UTF-8 and halves of surrogate pairs", () => {
    expect(cleanText("0x61ff62")).toBe("ab");
    expect(cleanText("0x61eda0bd62")).toBe("ab");
    expect(cleanText("0x61f09f98")).toBe("a");
  });

  test("is well formed, short and free of control characters whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const text = cleanText(hexFromBytes(bytes));
        expect(text.isWellFormed()).toBe(true);
        expect([...text].length).toBeLessThanOrEqual(255);
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(text).toBe(text.trim());
      }),
      { seed: 4711 },
    );
  });

  test("never throws whatever the answer", () => {
    const anyWord = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.bigInt({ min: 0n, max: 200n }),
    );
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 6 }), (words) => {
        const answer = hexConcat(...words.map((value) => word(value)));
        decodeText(answer);
        decodeUint(answer);
        decodeUint8(answer);
      }),
      { seed: 4711 },
    );
  });
});

describe("integer of a contract", () => {
  test("is the first word of the answer", () => {
    expect(decodeUint(word(2n ** 256n - 1n))).toBe(2n ** 256n - 1n);
    expect(decodeUint(hexConcat(word(7), word(8)))).toBe(7n);
  });

  test("is not found in less than a word", () => {
    expect(decodeUint("0x")).toBeNull();
    expect(decodeUint("0x01")).toBeNull();
    expect(decodeUint(null)).toBeNull();
  });

  test("of 8 bits is not found in a larger one", () => {
    expect(decodeUint8(word(255))).toBe(255);
    expect(decodeUint8(word(256))).toBeNull();
  });
});

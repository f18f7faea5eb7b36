import { randomBytes } from "node:crypto";
import { getAddress, keccak256, stringToBytes } from "viem";
import { expect, test } from "vitest";

const MODULE = new URL("../../../src/pages/browser/base/keccak.js", import.meta.url).href;
const { checksummed, hashOf }: Record<"checksummed" | "hashOf", (text: string) => string> =
  await import(MODULE);

/** Lengths around the blocks of 136 bytes that are hashed at a time. */
const LENGTHS = [0, 1, 31, 32, 134, 135, 136, 137, 271, 272, 273, 1000];

test.each(LENGTHS)("the pages hash %i bytes as viem does", (length) => {
  const text = randomBytes(length)
    .toString("latin1")
    .replaceAll(/[^ -~]/g, "x");
  expect(hashOf(text)).toBe(keccak256(stringToBytes(text)));
});

test("the pages write addresses in the mixed case of EIP-55", () => {
  for (let count = 0; count < 200; count++) {
    const address = `0x${randomBytes(20).toString("hex")}` as const;
    expect(checksummed(address)).toBe(getAddress(address));
  }
  expect(checksummed("not an address")).toBe("not an address");
});

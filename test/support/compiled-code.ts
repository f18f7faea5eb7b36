import type { CompiledCode } from "../../src/verification/match/code/bytecode.ts";
import type { CodeMatch } from "../../src/verification/match/code/code-match.ts";

// Codes as compilers write them, for tests of the comparison.

/** Bytes of hex digits, one piece behind the other. */
export function bytes(...digits: string[]): Buffer {
  return Buffer.from(digits.join(""), "hex");
}

/** Compiled code, without places that deployment fills in but those named. */
export function compiled(
  code: Buffer,
  places: Partial<Omit<CompiledCode, "bytes">> = {},
): CompiledCode {
  return { bytes: code, libraries: [], immutables: [], auxdata: [], ...places };
}

/** A comparison that ended well. */
export function matched(parts: Partial<CodeMatch> = {}): CodeMatch {
  return { quality: "full", transformations: [], values: {}, ...parts };
}

/** Metadata as solc writes it: an IPFS hash that repeats one byte, and the version. */
export function solcMetadata(hash = "11", version = "000814"): Buffer {
  return bytes("a264697066735822", "1220", hash.repeat(32), "64736f6c6343", version, "0033");
}

/** solc's output with `bytecodeHash: "none"`. */
export function bareMetadata(version = "000814"): Buffer {
  return bytes("a164736f6c6343", version, "000a");
}

/** A word of 32 bytes. */
export function wordOf(value: bigint): Buffer {
  return bytes(BigInt.asUintN(256, value).toString(16).padStart(64, "0"));
}

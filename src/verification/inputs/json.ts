import { scanJson } from "../../core/json/json-scan.ts";
import { isRecord } from "../../core/json/record.ts";
import { refuse } from "./compiler-input.ts";

const MAX_DEPTH = 32;
/** Metadata has some 15 tokens for each entry of the ABI, a thousand sources 10,000. */
export const MOST_TOKENS = 250_000;

/** Parses a JSON object, also in an extra pair of braces. Throws `VerificationError`, also above 32 levels or 250,000 tokens. */
export function parseObject(sent: string): Record<string, unknown> {
  const text = /^\s*\{\s*\{/.test(sent) ? sent.trim().slice(1, -1) : sent;
  const { kind } = scanJson(Buffer.from(text), { depth: MAX_DEPTH, tokens: MOST_TOKENS });
  if (kind === "too-deep") refuse(`It is nested deeper than ${MAX_DEPTH} levels.`);
  if (kind === "too-many") refuse("It has too many parts.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("It does not parse.");
  }
  return isRecord(value) ? value : refuse("It is not an object.");
}

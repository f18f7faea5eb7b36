import { scanJson } from "../../core/json-scan.ts";
import { isRecord } from "../../core/record.ts";
import { refuse } from "./compiler-input.ts";

const MAX_DEPTH = 32;
/** The metadata of the largest contracts has some 100,000, a thousand sources 10,000. */
const MAX_TOKENS = 250_000;

/**
 * The object a text holds. Throws `VerificationError` of code `invalid-json` for anything else, for one nested deeper
 * than 32 levels, and for one of more parts than the largest contract has.
 */
export function parseObject(text: string): Record<string, unknown> {
  const { kind } = scanJson(Buffer.from(text), { depth: MAX_DEPTH, tokens: MAX_TOKENS });
  if (kind === "too-deep") refuse(`It is nested deeper than ${MAX_DEPTH} levels.`);
  if (kind === "too-many") refuse("It has too many parts.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("It does not parse.");
  }
  return isRecord(value) ? value : refuse("It is no object.");
}

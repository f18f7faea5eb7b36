import { z } from "zod";

/** Whether a value is an object with named fields: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a field was left out, or is null. */
export function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** A schema of objects whose keys may be any text; that of zod leaves out `__proto__`. */
export function recordOf<Value>(value: z.ZodType<Value>) {
  const named: z.ZodType<[string, Value][]> = z.array(z.tuple([z.string(), value]));
  return z
    .preprocess((record) => (isRecord(record) ? Object.entries(record) : undefined), named)
    .transform((entries) => Object.fromEntries(entries));
}

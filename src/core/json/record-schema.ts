import { z } from "zod";
import { isRecord } from "./record.ts";

/** Returns a schema of objects whose keys may be any text; that of zod leaves out `__proto__`. */
export function recordOf<Value>(value: z.ZodType<Value>) {
  const named: z.ZodType<[string, Value][]> = z.array(z.tuple([z.string(), value]));
  return z
    .preprocess((record) => (isRecord(record) ? Object.entries(record) : undefined), named)
    .transform((entries) => Object.fromEntries(entries));
}

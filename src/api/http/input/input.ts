import type { RpcId } from "../../explorer/envelope.ts";

/** A file part of a multipart body, decoded as UTF-8. */
export interface UploadedFile {
  fileName: string;
  content: string;
}

/**
 * Value of one parameter. Numbers and booleans of a JSON body are their text; lists and objects come from a JSON
 * body, from files, or from the bracketed names `files[]` and `files[0]`.
 */
export type InputValue =
  | string
  | UploadedFile
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** Parameters by the name they were sent under, query and body merged. */
export type Input = ReadonlyMap<string, InputValue>;

/** The parts of a request that tell what is asked. */
export interface ParsedRequest {
  /** Query and body merged. */
  input: Input;
  query: Input;
  body: Input;
  /** `id` as a JSON body had it: a number stays a number there. */
  id: RpcId | undefined;
}

/**
 * Value of a parameter: by its exact name, and only if that is absent by a name that differs in letter case.
 * Undefined when absent. Source: docs/wire.md, "Parameters".
 */
export function lookUp(input: Input, name: string): InputValue | undefined {
  const exact = input.get(name);
  if (exact !== undefined) return exact;
  const wanted = name.toLowerCase();
  for (const [key, value] of input) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value;
  }
  return undefined;
}

import { ERROR_CODES } from "../../src/core/errors.ts";

const FIELD = /^([a-z-]+)(?:;name=([a-zA-Z][\w]*))?$/;
const CODES: ReadonlySet<string> = new Set(ERROR_CODES);
const WITH_NAME: ReadonlySet<string> = new Set(["missing-parameter", "invalid-parameter"]);
/** What Blockscout's dialect answers with status 1, though it is none. */
const OF_STATUS_1: ReadonlySet<string> = new Set([
  "verification-pending",
  "verification-failed",
  "not-found",
]);

/** Says what is wrong with `x-periscope-error` of an answer below the API's paths; undefined when it is right. */
export function errorHeaderFault(
  statusCode: number,
  header: unknown,
  body: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  const [, code = "", name] = FIELD.exec(String(header)) ?? [];
  if (header !== undefined && !CODES.has(code)) return `no code: ${header}`;
  if (name !== undefined && !WITH_NAME.has(code)) return `a name beside ${code}`;
  const isFailure =
    statusCode >= 400 ||
    body?.["error"] !== undefined ||
    ["0", "2"].includes(String(body?.["status"]));
  if (isFailure) return header === undefined ? "no code of a failure" : undefined;
  return header === undefined || OF_STATUS_1.has(code) ? undefined : `a success with ${code}`;
}

import { createSecrets, secretsOfUrl } from "../../core/secrets.ts";
import type { ChainOptions } from "../options.ts";
import type { RpcErrorObject } from "./codes.ts";

/** Returns a node's error object without secrets, safe to log and to publish. */
export type CleanError = (error: RpcErrorObject) => RpcErrorObject;

const LONGEST_MESSAGE = 2000;
/** URLs, and addresses of machines behind the node. */
const LOCATIONS =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:]{2,}\](?::\d+)?/gi;
/** OpenEthereum puts "Reverted" before the bytes. */
const REVERT_DATA = /^(?:Reverted )?0x(?:[0-9a-f]{2})*$/i;

/** Redacts credentials, keys, hosts and URLs of messages, and of data all but revert bytes. A contract's words stay. */
export function createErrorCleaner({
  urls,
  webSocketUrl,
  secrets: others = [],
}: Pick<ChainOptions, "urls" | "webSocketUrl" | "secrets">): CleanError {
  const all = webSocketUrl === undefined ? urls : [...urls, webSocketUrl];
  const hosts = all.map((text) => URL.parse(text)?.hostname ?? "");
  const secrets = createSecrets([...all.flatMap(secretsOfUrl), ...hosts, ...others]);
  return ({ code, message, data }) => {
    const redacted = secrets.redact(message);
    const clean = /revert/i.test(redacted) ? redacted : redacted.replace(LOCATIONS, "***");
    const kept = revertData(data);
    return {
      code,
      message: clean.slice(0, LONGEST_MESSAGE),
      ...(kept !== undefined && secrets.redact(kept) === kept && { data: kept }),
    };
  };
}

/** Returns the bytes of a revert, bare or inside an object, as nodes send them. */
function revertData(data: unknown): string | undefined {
  if (typeof data === "string") return REVERT_DATA.test(data) ? data : undefined;
  if (typeof data !== "object" || data === null) return undefined;
  const { data: inner, result } = data as { data?: unknown; result?: unknown };
  return [inner, result].find(
    (bytes): bytes is string => typeof bytes === "string" && REVERT_DATA.test(bytes),
  );
}

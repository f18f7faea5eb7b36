import { paramsIn } from "../explorer/action.ts";
import { registry } from "../explorer/registry.ts";

const REDACTED = "[redacted]";
const LOGGED_CHARACTERS = 2000;
/** Keys are longer; mistyped parts of a path are not. */
const LONGEST_WORD = 15;

/** Lower-case names of the known parameters. Any other may hold a key. */
const LOGGED_NAMES: ReadonlySet<string> = new Set([
  ...["module", "action", "id", "chainid", "chain_id", "tag"],
  ...Object.values(registry).flatMap((actions) =>
    actions.flatMap((action) =>
      Object.keys(paramsIn(action, "etherscan").shape).map((name) => name.toLowerCase()),
    ),
  ),
]);

/** Returns a URL for the log: with known parameters only, and only the short words of an unknown path. */
export function redactUrl(url: string, isKnownPath: boolean): string {
  const start = url.indexOf("?");
  const path = start < 0 ? url : url.slice(0, start);
  const logged = isKnownPath ? path : path.split("/").map(redactWord).join("/");
  const query =
    start < 0
      ? ""
      : `?${url
          .slice(start + 1)
          .split("&")
          .map(redactPart)
          .join("&")}`;
  return `${logged}${query}`.slice(0, LOGGED_CHARACTERS);
}

function redactWord(word: string): string {
  return word.length > LONGEST_WORD ? REDACTED : word;
}

function redactPart(part: string): string {
  const [name = ""] = part.split("=", 1);
  return part === "" || LOGGED_NAMES.has(name.toLowerCase()) ? part : REDACTED;
}

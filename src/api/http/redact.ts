const REDACTED = "[redacted]";
const LOGGED_CHARACTERS = 2000;
/** Keys are longer; mistyped parts of a path are not. */
const LONGEST_WORD = 15;

/** Returns a URL for the log: with known parameters only, and only the short words of an unknown path. */
export function redactUrl(url: string, isKnownPath: boolean, names: ReadonlySet<string>): string {
  const start = url.indexOf("?");
  const path = start < 0 ? url : url.slice(0, start);
  const hide = (word: string) => (word.length > LONGEST_WORD ? REDACTED : word);
  const logged = isKnownPath ? path : path.split("/").map(hide).join("/");
  if (start < 0) return logged.slice(0, LOGGED_CHARACTERS);
  const query = url.slice(start + 1).split("&");
  // Any other parameter may hold a key.
  const shown = query.map((part) => {
    const [name = ""] = part.split("=", 1);
    return part === "" || names.has(name.toLowerCase()) ? part : REDACTED;
  });
  return `${logged}?${shown.join("&")}`.slice(0, LOGGED_CHARACTERS);
}

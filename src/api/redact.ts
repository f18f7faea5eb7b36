const SECRET = "apikey";
/** Names that keys are sent by, correctly or by mistake; letters only. */
const SECRET_NAMES: ReadonlySet<string> = new Set([SECRET, "xapikey", "key"]);
const LOGGED_CHARACTERS = 2000;

/** A URL as it may be logged: the values of API keys replaced, however the parameter's name is spelled or encoded. */
export function redactUrl(url: string): string {
  const start = url.indexOf("?");
  if (start < 0) return url.slice(0, LOGGED_CHARACTERS);
  const parts = url
    .slice(start + 1)
    .split("&")
    .map(redactPart);
  return `${url.slice(0, start)}?${parts.join("&")}`.slice(0, LOGGED_CHARACTERS);
}

function redactPart(part: string): string {
  const [name = ""] = part.split("=", 1);
  return isSecret(name) ? `${SECRET}=[redacted]` : part;
}

function isSecret(name: string): boolean {
  try {
    return SECRET_NAMES.has(lettersOf(decodeURIComponent(name)));
  } catch {
    return lettersOf(name).includes(SECRET);
  }
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Passwords and keys of the settings, which must not leave the process. */
export interface Secrets {
  add(secrets: Iterable<string>): void;
  /** Redacts every secret in a text, in any encoding. */
  redact(text: string): string;
  /** Returns the added secrets, for another thread. */
  list(): string[];
}

const BLOT = "***";

// Shorter ones are words like `v2` or `rpc`, and would be redacted in ordinary text.
const SHORTEST_KEY = 8;
/** A shorter password protects nothing, and its redaction would hide parts of words. */
const SHORTEST_SECRET = 4;
/** Default passwords, which are also words of ordinary messages. */
const PLACEHOLDERS = new Set(["periscope", "postgres"]);

/** Creates the store of a process's secrets. */
export function createSecrets(initial: Iterable<string> = []): Secrets {
  const known = new Set<string>();
  // One expression for each form: V8 finds the beginning of one much faster than that of any of several.
  let patterns: RegExp[] = [];
  const secrets: Secrets = {
    add(texts) {
      for (const text of texts) {
        if (text.length >= SHORTEST_SECRET && !PLACEHOLDERS.has(text)) known.add(text);
      }
      const longestFirst = [...known].sort((one, other) => other.length - one.length);
      patterns = longestFirst.flatMap(buildPatterns).map((pattern) => new RegExp(pattern, "gi"));
    },
    redact: (text) => patterns.reduce((redacted, pattern) => redacted.replace(pattern, BLOT), text),
    list: () => [...known],
  };
  secrets.add(initial);
  return secrets;
}

/** Returns the secrets of a URL, decoded: user, password, both in a header's form, keys in path, query and fragment. */
export function secretsOfUrl(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [];
  const [user, password] = [percentDecode(url.username), percentDecode(url.password)];
  const values = [...url.searchParams].map(([name, value]) => value || name);
  const keys = [...url.pathname.split("/").map(percentDecode), ...values, url.hash.slice(1)];
  return [
    user,
    password,
    ...(password === "" ? [] : [`${user}:${password}`]),
    ...keys.filter((key) => key.length >= SHORTEST_KEY),
  ].filter((secret) => secret !== "");
}

/** Returns the passwords of a database URL, decoded. The server itself names the rest, such as its user, in its errors. */
export function secretsOfDatabaseUrl(text: string): string[] {
  const url = URL.parse(text);
  const passwords = [url?.password ?? "", ...(url?.searchParams.getAll("password") ?? [])];
  return passwords.map(percentDecode).filter((secret) => secret !== "");
}

/** Decodes percent encoding; returns text unchanged when it is not encoded. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare percent sign.
    return text;
  }
}

/** Splits a URL into one without user and password, and the header with them (RFC 7617), if any. */
export function splitCredentials(url: URL): { bare: URL; headers: Record<string, string> } {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const { username, password } = url;
  if (username === "" && password === "") return { bare, headers: {} };
  const credentials = Buffer.from(`${percentDecode(username)}:${percentDecode(password)}`);
  return { bare, headers: { authorization: `Basic ${credentials.toString("base64")}` } };
}

/** Returns patterns of a secret as text, in Base64 and in hex, with any escapes. */
function buildPatterns(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  const forms = [
    secret,
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
    bytes.toString("hex"),
  ];
  return [...new Set(forms)].map((form) => [...form].map(characterPattern).join(""));
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** Returns a pattern of a character: plain, percent-encoded (also twice), escaped in JSON (also twice), or in HTML. */
function characterPattern(character: string): string {
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join("");
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const unicode = units.map((unit) => `\\\\+u${hex(unit, 4)}`).join("");
  const codePoint = character.codePointAt(0) ?? 0;
  const html = [
    `#${codePoint}`,
    `#x0*${codePoint.toString(16)}`,
    HTML_NAMES[character] ?? [],
  ].flat();
  const alternatives = [percent, unicode, `&(?:${html.join("|")});`];
  const literal = units.map((unit) => `\\u${hex(unit, 4)}`).join("");
  if (character === "\\") return `(?:\\\\+|${alternatives.join("|")})`;
  if (character === " ") alternatives.push("\\+");
  // Programs escape only these with a backslash; allowing it before other characters would only cost time.
  const backslash = /["'/]/.test(character) ? "\\\\*" : "";
  return `(?:${backslash}${literal}|${alternatives.join("|")})`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

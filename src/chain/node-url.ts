import { ConfigError } from "../core/errors.ts";

const PROTOCOLS = new Set(["http:", "https:", "ws:", "wss:"]);

/** The URL of a node. Throws `ConfigError`, without the text, which may hold a password. */
export function parseNodeUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !PROTOCOLS.has(url.protocol)) {
    throw new ConfigError("the URL of a node must begin with http://, https://, ws:// or wss://");
  }
  return url;
}

/** The header that carries user and password of a URL (RFC 7617); none without them. */
export function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  return { authorization: `Basic ${encodeCredentials(username, password)}` };
}

function encodeCredentials(username: string, password: string): string {
  return Buffer.from(`${percentDecode(username)}:${percentDecode(password)}`).toString("base64");
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

// Shorter parts (`v2`, `rpc`) are words, not keys, and would be blotted out of honest messages.
const SHORTEST_KEY = 8;

/** A function that blots every secret part of the URL (user, password, keys in path and query) out of a text. */
export function createRedactor(url: URL): (text: string) => string {
  const keys = [...url.pathname.split("/"), ...url.searchParams.values()].filter(
    (part) => part.length >= SHORTEST_KEY,
  );
  const { username, password } = url;
  // First what the header holds: a node may repeat it.
  const secrets = [encodeCredentials(username, password), ...keys, username, password]
    .flatMap((part) => [part, percentDecode(part)])
    .filter((secret) => secret !== "");
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare percent sign: the part was never encoded.
    return text;
  }
}

import { ConfigError } from "../../core/errors.ts";

const PROTOCOLS = new Set(["http:", "https:", "ws:", "wss:"]);

/** Parses a node's URL. Throws `ConfigError` without the text, which may hold a password. */
export function parseNodeUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !PROTOCOLS.has(url.protocol)) {
    throw new ConfigError("the URL of a node must begin with http://, https://, ws:// or wss://");
  }
  return url;
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

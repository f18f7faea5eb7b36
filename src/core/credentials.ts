import { percentDecode } from "./secrets.ts";

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

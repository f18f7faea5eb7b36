import { percentDecode } from "./secrets.ts";

/** A URL without user and password, and the header that carries them instead (RFC 7617); none without them. */
export function splitCredentials(url: URL): { bare: URL; headers: Record<string, string> } {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const { username, password } = url;
  if (username === "" && password === "") return { bare, headers: {} };
  const credentials = Buffer.from(`${percentDecode(username)}:${percentDecode(password)}`);
  return { bare, headers: { authorization: `Basic ${credentials.toString("base64")}` } };
}

const LONGEST = 255;

/** A token's name or symbol as it may be shown: well formed, without control characters, trimmed, of limited length. */
export function displayText(bytes: Buffer): string {
  const shown = new TextDecoder()
    .decode(bytes)
    .replace(/\p{Cc}/gu, "")
    .trim();
  return [...shown].slice(0, LONGEST).join("").trim();
}

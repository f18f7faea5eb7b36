const LONGEST = 255;

/** What no name may carry: control characters, line separators, and the mark of bytes that are no text. */
const UNWANTED = /[\p{Control}\p{Line_Separator}\p{Paragraph_Separator}\u{fffd}]/u;

/** A token's name or symbol as it may be shown: well formed, on one line, trimmed, of limited length. */
export function displayText(bytes: Buffer): string {
  const characters = [...bytes.toString("utf8").replace(/^\ufeff/, "")];
  const wanted = characters
    .filter((character) => !UNWANTED.test(character))
    .join("")
    .trim();
  return [...wanted].slice(0, LONGEST).join("").trim();
}

const LONGEST = 255;

/** Characters that no name may have: controls, line separators, and the replacement of broken text. */
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

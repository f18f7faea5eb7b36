/** Control characters, and those that hide text or reverse its direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Text of others that any terminal and page can show on one line: what is not seen becomes a space. */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSEEN, " ");
}

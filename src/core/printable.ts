/** Control characters, and characters that hide text or reverse its direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Makes external text safe for one line of any terminal and page: invisible characters become spaces. */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSEEN, " ");
}

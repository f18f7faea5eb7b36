type Change = (text: string) => string;

/** Ways to end lines: each rewrites a text, and tells how lines of the result end. */
const LINE_ENDS: readonly { apply: Change; newline: (text: string) => string }[] = [
  { apply: (text) => text, newline: (text) => (text.includes("\r\n") ? "\r\n" : "\n") },
  { apply: toUnix, newline: () => "\n" },
  { apply: (text) => toUnix(text).replace(/\n/g, "\r\n"), newline: () => "\r\n" },
];

/** Changes that editors, version control and web forms make to a text unasked; the first changes nothing. */
export const TEXT_CHANGES: readonly Change[] = LINE_ENDS.flatMap(({ apply, newline }): Change[] => [
  apply,
  (text) => withoutFinalLineEnds(apply(text)),
  (text) => withoutFinalLineEnds(apply(text)) + newline(text),
  (text) => withoutFinalLineEnds(apply(text)) + newline(text).repeat(2),
  (text) => `${apply(text)} `,
]);

function toUnix(text: string): string {
  return text.replace(/\r\n/g, "\n");
}

/** A loop: the obvious regular expression takes quadratic time on a text full of line ends. */
function withoutFinalLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}

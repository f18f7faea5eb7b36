type Change = (text: string) => string;

/** A way to end lines: the text with such ends, and what ends a line of it. */
const LINE_ENDS: readonly { apply: Change; newline: (text: string) => string }[] = [
  { apply: (text) => text, newline: (text) => (text.includes("\r\n") ? "\r\n" : "\n") },
  { apply: toUnix, newline: () => "\n" },
  { apply: (text) => toUnix(text).replace(/\n/g, "\r\n"), newline: () => "\r\n" },
];

/** What editors, version control and web forms do to a text without anybody's intention; the first does nothing. */
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

/** By hand: the obvious regular expression takes quadratic time on text that is full of line ends. */
function withoutFinalLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}

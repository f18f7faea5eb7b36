type Change = (text: string) => string;

const LINE_ENDS: readonly Change[] = [
  (text) => text,
  (text) => text.replace(/\r\n/g, "\n"),
  (text) => text.replace(/\r\n/g, "\n").replace(/\n/g, "\r\n"),
];

const FILE_ENDS: readonly Change[] = [
  (text) => text,
  withoutFinalLineEnds,
  (text) => withoutFinalLineEnds(text) + lineEndOf(text),
  (text) => withoutFinalLineEnds(text) + lineEndOf(text).repeat(2),
  (text) => `${text} `,
];

/** What editors, version control and web forms do to a text without anybody's intention; the first does nothing. */
export const TEXT_CHANGES: readonly Change[] = LINE_ENDS.flatMap((changeLines) =>
  FILE_ENDS.map(
    (changeEnd): Change =>
      (text) =>
        changeEnd(changeLines(text)),
  ),
);

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** By hand: the obvious regular expression takes quadratic time on text that is full of line ends. */
function withoutFinalLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}

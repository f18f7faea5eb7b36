type Change = (text: string) => string;

/** Line ends: each rewrites a text, and returns the result's newline. */
const LINE_ENDS: readonly { apply: Change; newline: (text: string) => string }[] = [
  { apply: unchanged, newline: (text) => (text.includes("\r\n") ? "\r\n" : "\n") },
  { apply: toUnix, newline: () => "\n" },
  { apply: (text) => toUnix(text).replace(/\n/g, "\r\n"), newline: () => "\r\n" },
];

/** Ends of a text; the first changes nothing. */
const TEXT_ENDS: readonly ((text: string, newline: string) => string)[] = [
  unchanged,
  withoutFinalLineEnds,
  (text, newline) => withoutFinalLineEnds(text) + newline,
  (text, newline) => withoutFinalLineEnds(text) + newline.repeat(2),
  (text) => `${text} `,
];

/** Changes that editors, version control and web forms make to a text, one list for each line end. */
const CHANGES: readonly (readonly Change[])[] = LINE_ENDS.map(({ apply, newline }) =>
  TEXT_ENDS.map((end) => (text) => end(apply(text), newline(text))),
);

/** The same for all line ends; the first changes nothing. */
export const TEXT_CHANGES: readonly Change[] = CHANGES.flat();

type Texts = Map<string, string>;

/** Most characters: hashing every variant takes about a second. */
export const MAX_CHARACTERS = 2 * 1024 * 1024;

/** Yields texts with other line ends, all alike first, then per folder; up to two million characters. */
export function* textVariants(
  texts: ReadonlyMap<string, string>,
  mainPath: string,
): Generator<{ lines: Texts; variants: Texts[] }> {
  const size = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
  if (size > MAX_CHARACTERS) return;
  const seen: Texts[] = [];
  const isOwn = ownFiles([...texts.keys()], mainPath);
  const attempts = [
    ...CHANGES.map((changes) => ({ changes, isChanged: () => true })),
    ...CHANGES.slice(1).flatMap(([lines = unchanged]) => [
      { changes: [lines], isChanged: isOwn },
      { changes: [lines], isChanged: (path: string) => !isOwn(path) },
    ]),
  ];
  for (const { changes, isChanged } of attempts) {
    const all = changes.map(
      (change) =>
        new Map([...texts].map(([path, text]) => [path, isChanged(path) ? change(text) : text])),
    );
    const [lines = new Map<string, string>()] = all;
    const variants = all.filter((variant) => {
      const isKnown = seen.some((known) =>
        [...known].every(([path, text]) => variant.get(path) === text),
      );
      if (!isKnown) seen.push(variant);
      return !isKnown;
    });
    yield { lines, variants };
  }
}

/** Returns a test for the files of the main one's folder, the first in which paths differ: `src` beside `lib`. */
function ownFiles(paths: readonly string[], mainPath: string): (path: string) => boolean {
  const main = mainPath.split("/");
  const folders = paths.map((path) => path.split("/"));
  const depth = main.findIndex((name, index) => folders.some((folder) => folder[index] !== name));
  return (path) => path.split("/")[depth] === main[depth];
}

function unchanged(text: string): string {
  return text;
}

function toUnix(text: string): string {
  return text.replace(/\r\n/g, "\n");
}

/** Removes line ends at the end. A loop: the obvious regular expression takes quadratic time on a text full of line ends. */
function withoutFinalLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--;
  return text.slice(0, end);
}

/** A file with one place changed. */
export interface Mutant {
  source: string;
  /** Counted from 1. */
  line: number;
  /** That line, without blanks around it. */
  before: string;
  after: string;
}

type Change = readonly [pattern: RegExp, replacement: string];

const LOOP = /^\s*(?:for|while) \(/;
/** A loop whose condition was turned round might never end: it is never entered, or ends one round earlier. */
const LOOP_CHANGES: readonly Change[] = [
  [/ >= /, " > "],
  [/ <= /, " < "],
  [/\b(for \([^;]*; )([^;]+)/, "$1false && ($2)"],
  [/\bwhile \((.*)\)/, "while (false && ($1))"],
];
/** The change of one place of any other line: a check removed, a branch skipped or inverted. */
const CHANGES: readonly Change[] = [
  [/^(\s*)(?:check\.)?(?:require\w+|prefer)\(/, "$1void ("],
  [/ === /, " !== "],
  [/ !== /, " === "],
  [/ >= /, " > "],
  [/ <= /, " < "],
  [/ > /, " <= "],
  [/ < /, " >= "],
  [/ && /, " || "],
  [/ \|\| /, " && "],
  [/\bif \((.*)\)/, "if (false && ($1))"],
  [/^(\s*)case .*:$/, "$1case undefined as never:"],
  [/ \? ([^.].*) : /, " && false ? $1 : "],
  [/^(\s*)\? /, "$1&& false ? "],
];
/** Comments, imports, types and signatures have no branches. */
const NOTHING_TO_CHANGE =
  /^\s*(?:\/?\*|\/\/|import|type |interface|export (?:type|interface))|\): void;$|^\s*\w+\??: .*[;]$/;

/** A mutant for each change of each place. */
export function mutantsOf(source: string): Mutant[] {
  const lines = source.split("\n");
  return lines.flatMap((before, index) =>
    NOTHING_TO_CHANGE.test(before)
      ? []
      : (LOOP.test(before) ? LOOP_CHANGES : CHANGES)
          .filter(([pattern]) => pattern.test(before))
          .map(([pattern, replacement]) => {
            const after = before.replace(pattern, replacement);
            return {
              source: lines.with(index, after).join("\n"),
              line: index + 1,
              before: before.trim(),
              after: after.trim(),
            };
          }),
  );
}

import { isRecord } from "../../core/json/record.ts";

// Bounds of an answer to an agent. Source: docs/wire.md, "MCP".

/** Most characters of a result's JSON; the rest of an answer has some hundred. */
const MOST_CHARACTERS = 59_000;
const MOST_OF_A_CELL = 1_000;
const MOST_OF_A_NAME = 128;
/** Fields with names that strangers chose; they are cleaned and cut. */
const NAMES =
  "tokenName tokenSymbol TokenName TokenSymbol name symbol functionName ContractName contractName".split(
    " ",
  );
const WRITTEN_BY_OTHERS = [
  ...NAMES,
  ..."SourceCode ABI FileName AdditionalSources input data revertReason errDescription values".split(
    " ",
  ),
];
/** Control characters, zero-width characters, tags, and characters that change the direction of text. */
const HIDDEN =
  /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b-\u200f\u061c\u2060\ufeff\u{e0000}-\u{e007f}]/gu;

/** Returns how many rows fit into an answer; undefined where all do. */
export function countFitting(rows: readonly unknown[]): number | undefined {
  const { result } = boundResult(rows, true);
  const { length } = result as unknown[];
  return length < rows.length ? length : undefined;
}

/** Cuts a result to the bounds of an answer and notes each cut. `isList`: its rows come in pages. */
export function boundResult(result: unknown, isList: boolean) {
  const present = new Set<string>();
  const cut = new Set<string>();
  const rows = Array.isArray(result) && (isList || result.length > 1) ? result : undefined;
  const clean = map(result, "result", (value, key, path) => {
    if (WRITTEN_BY_OTHERS.includes(key)) present.add(key);
    const plain = NAMES.includes(key) ? cutText(value.replace(HIDDEN, ""), MOST_OF_A_NAME) : value;
    if (!rows || plain.length <= MOST_OF_A_CELL) return plain;
    cut.add(`${path.replaceAll(/\[\d+\]/g, "[]")} cut to ${MOST_OF_A_CELL} characters`);
    return cutText(plain, MOST_OF_A_CELL);
  });
  const fitting = rows ? fittingRows(clean as unknown[], cut, isList) : fittingTexts(clean, cut);
  return {
    result: fitting,
    ...(cut.size > 0 && { cut: [...cut] }),
    ...(present.size > 0 && { written_by_others: [...present] }),
  };
}

/** Returns the first rows that fit together. */
function fittingRows(rows: readonly unknown[], cut: Set<string>, isList: boolean): unknown[] {
  let room = MOST_CHARACTERS;
  const count = rows.findIndex((row) => {
    room -= JSON.stringify(row).length + 1;
    return room < 0;
  });
  if (count < 0) return [...rows];
  const cure = isList ? "a smaller offset" : "a narrower range";
  cut.add(`${count} of ${rows.length} rows shown, ask again with ${cure}`);
  return rows.slice(0, count);
}

/** Cuts the longest texts of a result until it fits. */
function fittingTexts(result: unknown, cut: Set<string>): unknown {
  const whole = new Map<string, number>();
  let fitting = result;
  for (;;) {
    const excess = JSON.stringify(fitting).length - MOST_CHARACTERS;
    if (excess <= 0) break;
    let longest = { path: "", length: 0 };
    map(fitting, "result", (value, _key, path) => {
      if (value.length > longest.length) longest = { path, length: value.length };
      return value;
    });
    if (longest.length === 0) return null;
    if (!whole.has(longest.path)) whole.set(longest.path, longest.length);
    const kept = Math.max(0, longest.length - excess);
    fitting = map(fitting, "result", (value, _key, path) =>
      path === longest.path ? cutText(value, kept) : value,
    );
  }
  map(fitting, "result", (value, _key, path) => {
    const length = whole.get(path);
    if (length !== undefined) cut.add(`${path} cut to ${value.length} of ${length} characters`);
    return value;
  });
  return fitting;
}

/** Cuts a text without splitting a surrogate pair. */
function cutText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

type OfText = (text: string, key: string, path: string) => string;

/** Replaces every text in a value. */
function map(value: unknown, path: string, of: OfText, key = ""): unknown {
  if (typeof value === "string") return of(value, key, path);
  if (Array.isArray(value)) {
    return value.map((item, index) => map(item, `${path}[${index}]`, of, key));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, map(item, `${path}.${name}`, of, name)]),
  );
}

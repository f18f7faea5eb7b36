import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { type Label, type Labels, labelKey, labelsOfChain } from "../api/explorer/labels.ts";
import { checksumAddress } from "../core/deep-imports.ts";
import { pathFault } from "../core/errors.ts";
import { isAddress, lowerAddress } from "../core/evm/address.ts";
import { repeatedKeys } from "../core/json/repeated-keys.ts";
import { type Config, SettingsError } from "./config.ts";
import { url } from "./setting-types.ts";

/** The files of LABELS_FILE that the process has read. */
export interface LabelFiles {
  /** Reads the files of these chains again. Changes nothing, and throws a `SettingsError` with file and line, if one has a fault. */
  read(chains: readonly Pick<Config, "LABELS_FILE">[]): void;
  /** Returns the labels of a chain. */
  labels(file: string | undefined, chainId: number): Labels;
}

type FileOfLabels = Parameters<typeof labelsOfChain>[0];

const MOST_ROWS = 100_000;
const MOST_BYTES = 16 * 1024 * 1024;
const NO_FILE: FileOfLabels = { labels: new Map(), changedAt: 0 };

/** Creates the store of label files, without any. */
export function createLabelFiles(): LabelFiles {
  const files = new Map<string, FileOfLabels>();
  return {
    read: (chains) => {
      const names = new Set(chains.flatMap(({ LABELS_FILE: file }) => file ?? []));
      const read = [...names].map((file) => [file, readLabels(file)] as const);
      for (const [file, labels] of read) files.set(file, labels);
    },
    labels: (file, chainId) => labelsOfChain(files.get(file ?? "") ?? NO_FILE, chainId),
  };
}

/** An unchecked row, with its line in CSV or its index from 0 in JSON. */
type Row = readonly [place: number, row: unknown];

class Fault extends Error {
  readonly place: number;
  constructor(place: number, message: string) {
    super(message);
    this.place = place;
  }
}

function readLabels(file: string): FileOfLabels {
  const complain = (words: string) => new SettingsError([`LABELS_FILE ${words}`]);
  const isJson = file.endsWith(".json");
  if (!isJson && !file.endsWith(".csv")) throw complain("must end in .json or .csv");
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MOST_BYTES)
      throw new Fault(0, "must be a file of at most 16 MiB");
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    const labels = checkRows(isJson ? readJson(text) : readCsv(text));
    for (const { key, line } of isJson ? repeatedKeys(text) : []) {
      throw new Fault(line, `${key} stands twice in one object`);
    }
    return { labels, changedAt: Math.floor(stats.mtimeMs / 1000) };
  } catch (error) {
    if (error instanceof Fault) throw complain(`${file}:${error.place}: ${error.message}`);
    if (error instanceof TypeError) throw complain(`${file}:0: must be saved as UTF-8`);
    throw complain(`must be a file that this user can read, but ${pathFault(error)}`);
  }
}

/** Invisible characters, and those that change the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function text(longest: number) {
  return z
    .string({ error: ({ input }) => (input === undefined ? "is missing" : "must be text") })
    .refine((value) => !HIDDEN.test(value), {
      error: "must have no control, direction or invisible characters",
      abort: true,
    })
    .trim()
    .refine((value) => value !== "" && [...value].length <= longest, {
      error: `must have 1 to ${longest} characters`,
      abort: true,
    });
}

const FIELDS = ["address", "chainid", "name", "tags", "url", "note"];

const label = z.strictObject(
  {
    address: text(42)
      .refine(isAddress, { error: "must be 0x and 40 hexadecimal digits", abort: true })
      .refine(hasChecksum, "has a wrong checksum (EIP-55), so a digit may be wrong: copy it again")
      .transform(lowerAddress),
    chainid: z
      .union([z.string(), z.number()], "must be a decimal number")
      .transform(String)
      .pipe(z.string().regex(/^[1-9]\d{0,14}$/, "must be a decimal number, without zeros in front"))
      .transform(Number)
      .optional(),
    name: text(64),
    tags: z.array(text(32), "must be a list").max(8, "must be 8 at most").default([]),
    url: text(200).pipe(url("http:", "https:")).default(""),
    note: text(300).default(""),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `must have no other field than ${FIELDS.join(", ")}`
        : "must be an object",
  },
);

function hasChecksum(address: string): boolean {
  const digits = address.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return !isMixed || checksumAddress(lowerAddress(address)) === address;
}

function checkRows(rows: readonly Row[]): Map<string, Label> {
  if (rows.length > MOST_ROWS) throw new Fault(MOST_ROWS, "must have 100,000 rows at most");
  const labels = new Map<string, Label>();
  for (const [place, row] of rows) {
    const parsed = label.safeParse(row);
    const [issue] = parsed.error?.issues ?? [];
    if (!parsed.data) throw new Fault(place, `${String(issue?.path[0] ?? "it")} ${issue?.message}`);
    const key = labelKey(parsed.data.address, parsed.data.chainid);
    if (labels.has(key))
      throw new Fault(place, "address stands there twice for one chain: remove one");
    labels.set(key, parsed.data);
  }
  return labels;
}

function readJson(json: string): Row[] {
  let rows: unknown;
  try {
    rows = JSON.parse(json);
  } catch (error) {
    const [, line] = /line (\d+)/.exec(String(error)) ?? [];
    throw new Fault(
      Number(line ?? json.split("\n").length),
      "must be JSON, but is not from here on",
    );
  }
  if (!Array.isArray(rows)) throw new Fault(0, "must be a list: [{…}, …]");
  return rows.map((row, index) => [index, row]);
}

/** A field of CSV (RFC 4180) and the separator after it. Longer fields are invalid. */
const FIELD = /(?:"((?:[^"]|""){0,2000})"|([^",\r\n]{0,2000}))(,|\r?\n|$)/y;

function readCsv(csv: string): Row[] {
  const records: { line: number; fields: string[] }[] = [];
  let line = 1;
  let record: (typeof records)[number] | undefined;
  for (let at = 0; at < csv.length || record; at = FIELD.lastIndex) {
    FIELD.lastIndex = at;
    const [whole, quoted, plain = "", end] = FIELD.exec(csv) ?? [];
    if (whole === undefined)
      throw new Fault(line, "must be CSV: close each quote, double those inside");
    record ??= { line, fields: [] };
    record.fields.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    records.push(record);
    record = undefined;
  }
  const [head, ...rows] = records.filter(({ fields }) => fields.join("") !== "");
  const names = head?.fields.map((name) => name.trim()) ?? [];
  if (names.some((name, index) => !FIELDS.includes(name) || names.indexOf(name) !== index)) {
    throw new Fault(1, `must begin with the names of fields, each once: ${FIELDS.join(", ")}`);
  }
  return rows.map((row) => [row.line, rowOfRecord(names, row)]);
}

function rowOfRecord(
  names: readonly string[],
  { line, fields }: { line: number; fields: string[] },
) {
  if (fields.length !== names.length) {
    throw new Fault(line, `has ${fields.length} fields, but the first line ${names.length}`);
  }
  const given = names.map((name, index) => [name, fields[index]?.trim() ?? ""] as const);
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== "")
      .map(([name, value]) => [name, name === "tags" ? value.split(";") : value]),
  );
}

import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { z } from "zod";
import { Admission, type Release } from "../../core/admission.ts";
import { busy, RequestError } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";
import type { Queryable, Sql } from "../../db/client.ts";
import { isDistributedRead } from "../../store/cluster/distributed-reads.ts";
import { type PageKey, type PageRange, PageTooLarge } from "../../store/lists/large-pages.ts";
import { getIndexState, type ServedHead } from "../../store/sync-state.ts";
import type { Answer } from "../http/answer.ts";
import { requestErrorOf } from "../http/failures.ts";
import { REORGANISED, type Read, type ReadQuery } from "../reading/snapshot.ts";
import type { Action, RawParameters } from "./action.ts";
import { type Dialect, forDialect, type Outcome } from "./envelope.ts";
import { positive } from "./params.ts";

// Lists as files. One transaction reads all pages of a file twice, first to count the rows. Source: docs/wire.md, "Lists as files".

export type FileFormat = "csv" | "ndjson";

export const FILE_TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson; charset=utf-8",
};
const MOST_ROWS = 100_000;
const AT_ONCE = { process: 8, client: 2 };
const BUSY = "Too many files are under way, please try again later";
/** Rows that are read at a time, fewer where they are large. */
const ROWS = 1_000;
/** Characters of a file. A longer list goes on in the next one. */
const LONGEST = 1_000_000_000;
/** Characters of a file that is kept until it is sent, and is read once. */
const KEPT = 1_000_000;
/** Bytes that are sent at a time. */
const PIECE = 65_536;
const LONGEST_SENDING_MS = 600_000;
const LONGEST_SILENCE_MS = 30_000;

const refuse = () => busy(BUSY);
const ofProcess = new Admission({
  capacity: () => AT_ONCE.process,
  share: () => ({ one: AT_ONCE.client }),
  refuse,
});
const ofDatabases = new WeakMap<Sql, Admission>();

/** Returns the format of the requested file; undefined if none is requested, or the action is not a list. */
export function fileFormatOf({ cursor }: Action, format: unknown): FileFormat | undefined {
  return cursor !== undefined && (format === "csv" || format === "ndjson") ? format : undefined;
}

/** Returns the most rows of a file; a bad `offset` counts as absent. */
export function rowsOfFile({ offset }: RawParameters): number {
  const asked = positive.safeParse(offset);
  return asked.success && asked.data <= MOST_ROWS ? asked.data : MOST_ROWS;
}

/** Returns the error to send instead of a file, never with HTTP 200: clients would save it as the file. */
export function refuseFile(thrown: unknown): unknown {
  const known = requestErrorOf(thrown);
  return known?.httpStatus === 200
    ? new RequestError(400, known.code, known.message, { cause: thrown })
    : thrown;
}

/** Returns the name of a file without its extension. */
export function nameOfFile(
  chainId: number,
  { name }: Action,
  { address, contractaddress }: Readonly<Record<string, unknown>>,
  block: number,
): string {
  const of = address ?? contractaddress;
  return [chainId, name.toLowerCase(), ...(of === undefined ? [] : [of]), block].join("-");
}

/** Returns the parts of an answer that sends a file. */
export function fileAnswer({ contentType, rows, stream }: ListFile, name: string) {
  const headers = {
    "x-periscope-rows": String(rows),
    "content-disposition": `attachment; filename="${name}"`,
  };
  return { contentType, file: { stream, headers } satisfies Answer["file"] };
}

/** A file whose first bytes can be sent. */
export interface ListFile {
  kind: "file";
  contentType: string;
  rows: number;
  /** The last row, where others follow. */
  next: PageKey | undefined;
  head: ServedHead;
  stream: Readable;
}

export interface FileRequest {
  action: Action;
  dialect: Dialect;
  format: FileFormat;
  sql: Sql;
  client: string;
  /** Aborted when the answer has ended. */
  signal: AbortSignal;
  /** Rows at most. */
  rows: number;
  /** The key that they come behind. */
  after: PageKey;
  /** Makes one page of the list. */
  page(this: void, read: Read, range: PageRange): Promise<Outcome<unknown>>;
}

type Made = ListFile | Outcome<unknown>;

/**
 * Makes a file, or gives the outcome of a list that fails. `run` runs a query in a transaction, which lasts until the file is sent.
 * Throws `RequestError` when too many files are under way.
 */
export async function openFile(
  request: FileRequest,
  run: (query: ReadQuery<void>) => Promise<unknown>,
): Promise<Made> {
  const release = enter(request);
  const { promise, resolve, reject } = Promise.withResolvers<Made>();
  let isOpen = false;
  const running = run(async (sql, served) => {
    if (isOpen) throw new RequestError(503, "busy", REORGANISED);
    const head = await served;
    const counted = await count(request, sql, head);
    isOpen = true;
    if ("kind" in counted) return resolve(counted);
    const { rows, next, kept } = counted;
    const texts = kept ?? textsOf(request, sql, head, rows);
    const stream: Readable = Readable.from(
      pieces(texts, () => stream.destroy(new Error("the client does not read the file"))),
      { objectMode: false },
    );
    const sent = untilSent(stream, request.signal);
    const contentType = FILE_TYPES[request.format];
    resolve({ kind: "file", contentType, rows, next, head, stream });
    await sent;
  });
  running.catch(reject).finally(release);
  return promise;
}

function enter({ client, sql }: FileRequest): Release {
  const ofDatabase =
    ofDatabases.get(sql) ??
    new Admission({ capacity: () => Math.ceil(sql.options.max / 2), refuse });
  ofDatabases.set(sql, ofDatabase);
  const release = ofProcess.tryEnter({ client });
  const releaseOther = release && ofDatabase.tryEnter();
  if (releaseOther)
    return () => {
      release();
      releaseOther();
    };
  release?.();
  throw refuse();
}

async function untilSent(stream: Readable, signal: AbortSignal): Promise<void> {
  const cut = () => stream.destroy();
  const timer = setTimeout(cut, LONGEST_SENDING_MS);
  signal.addEventListener("abort", cut);
  if (signal.aborted) cut();
  await finished(stream).catch(() => {});
  clearTimeout(timer);
}

interface Page {
  rows: number;
  text: string;
  next: PageKey | undefined;
}

/** Pages of the list, as long as they succeed; then the outcome of the one that does not. */
async function* pagesOf(
  { page, after, action, dialect, format, signal, sql: database }: FileRequest,
  sql: Queryable,
  head: ServedHead,
  rows: number,
): AsyncGenerator<Page, Outcome<unknown> | undefined> {
  const columns = columnsOf(action, dialect, head);
  let [size, left, key] = [ROWS, rows, after];
  while (left > 0) {
    signal.throwIfAborted();
    const range = { limit: Math.min(size, left) + 1, skip: 0, after: key };
    const outcome = await page((query) => query(sql, Promise.resolve(head)), range).catch(
      (error) => {
        if (!(error instanceof PageTooLarge) || size === 1) throw error;
        return undefined;
      },
    );
    if (isDistributedRead(sql) && (await getIndexState(database))?.generation !== head.generation) {
      throw new RequestError(503, "busy", REORGANISED);
    }
    if (!outcome) {
      size = Math.ceil(size / 10);
      continue;
    }
    if (outcome.kind !== "ok") return outcome;
    const found = outcome.result as Record<string, unknown>[];
    const text = found
      .map((row) =>
        format === "csv" ? csvLine(columns.map((name) => row[name])) : `${JSON.stringify(row)}\n`,
      )
      .join("");
    yield { rows: found.length, text, next: outcome.next };
    if (!outcome.next) return undefined;
    key = outcome.next;
    left -= found.length;
    await calmTurn();
  }
  return undefined;
}

/** Counts the rows of a file, and keeps the text of a short one. */
async function count(request: FileRequest, sql: Queryable, head: ServedHead) {
  let [rows, characters, next] = [0, 0, undefined as PageKey | undefined];
  let kept: string[] | undefined = [headOf(request, head)];
  const pages = pagesOf(request, sql, head, request.rows);
  for (;;) {
    const { done, value } = await pages.next();
    if (done && value) return value;
    if (done || !value) break;
    rows += value.rows;
    characters += value.text.length;
    next = value.next;
    if (characters > KEPT) kept = undefined;
    kept?.push(value.text);
    if (characters > LONGEST) break;
  }
  return { rows, next, kept };
}

async function* textsOf(request: FileRequest, sql: Queryable, head: ServedHead, rows: number) {
  yield headOf(request, head);
  for await (const { text } of pagesOf(request, sql, head, rows)) yield text;
}

/** Cuts texts into pieces; `cut` is called when one is not taken in time. */
async function* pieces(texts: AsyncIterable<string> | Iterable<string>, cut: () => void) {
  for await (const text of texts) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += PIECE) {
      const timer = setTimeout(cut, LONGEST_SILENCE_MS);
      try {
        yield bytes.subarray(at, at + PIECE);
      } finally {
        clearTimeout(timer);
      }
    }
  }
}

function columnsOf(action: Action, dialect: Dialect, { l1FeesFrom }: ServedHead): string[] {
  const { element } = forDialect(action.result, dialect) as z.ZodArray<z.ZodObject>;
  return Object.keys(element.shape).filter((name) => name !== "L1FeesPaid" || l1FeesFrom !== null);
}

function headOf({ action, dialect, format }: FileRequest, head: ServedHead): string {
  return format === "csv" ? csvLine(columnsOf(action, dialect, head)) : "";
}

/** Spreadsheets run a field that begins so as a formula, and hide an apostrophe in front. */
const FORMULA = /^[=+\-@\t\r'＝＋－＠]/;

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: unknown): string {
  const plain =
    typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  const isFormula = FORMULA.test(plain);
  const text = isFormula ? `'${plain}` : plain;
  return isFormula || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

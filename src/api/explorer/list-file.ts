import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { finished, Readable } from "node:stream";
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

// Lists as files. One transaction reads all pages into a spool file, which is sent once it is complete. Source: docs/wire.md, "Lists as files".

export type FileFormat = "csv" | "ndjson";

export const FILE_TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson; charset=utf-8",
};
const MOST_ROWS = 100_000;
const AT_ONCE = { process: 8, client: 2 };
const BUSY = "Too many files are under way, please try again later";
/** Rows that are read at a time, fewer where they are large. */
const ROWS = 250;
/** Characters of a file. A longer list goes on in the next one. */
const LONGEST = 250_000_000;
/** Bytes that are sent at a time. */
const PIECE = 65_536;
/** Time limit of a file, from its request to its last byte. */
export const LONGEST_FILE_MS = 600_000;
const LONGEST_SILENCE_MS = 30_000;

const refuse = () => busy(BUSY);
const ofProcess = new Admission({
  capacity: () => AT_ONCE.process,
  share: () => ({ one: AT_ONCE.client }),
  refuse,
});
const ofDatabases = new WeakMap<Sql, Admission>();
/** One page is made at a time, so that answers come in between; a page that waits for its node does not stop other files. */
const turns = new Admission({ capacity: () => 1, patienceMs: LONGEST_SILENCE_MS, refuse });

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
  return { httpStatus: 200, contentType, body: "", file: { stream, headers } } satisfies Answer;
}

/** A file that is made. */
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

type Written = Pick<ListFile, "rows" | "next" | "head"> | Outcome<unknown>;

/**
 * Makes a file, or returns the outcome of a list that fails. `run` runs a query in a transaction, also again.
 * Throws `RequestError` when too many files are under way.
 */
export async function openFile(
  request: FileRequest,
  run: (query: ReadQuery<Written>) => Promise<{ result: Written }>,
): Promise<ListFile | Outcome<unknown>> {
  const { client, sql, format } = request;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LONGEST_FILE_MS)]);
  const leave = enter(ofProcess, client);
  let spool: FileHandle | undefined;
  const close = async () => {
    leave();
    await spool?.close();
  };
  try {
    const leaveDatabase = enter(ofDatabase(sql));
    const { result } = await run(async (queryable, head) => {
      spool ??= await createSpool();
      return writePages({ ...request, signal }, queryable, await head, spool);
    }).finally(leaveDatabase);
    if (!spool || !("rows" in result)) {
      await close();
      return result as Outcome<unknown>;
    }
    const cut = () => stream.destroy(new Error("the client does not read the file"));
    const stream: Readable = Readable.from(piecesOf(spool, cut), { objectMode: false, signal });
    finished(stream, close);
    return { kind: "file", contentType: FILE_TYPES[format], stream, ...result };
  } catch (error) {
    await close();
    throw error;
  }
}

function enter(admission: Admission, client?: string): Release {
  const release = admission.tryEnter({ client });
  if (!release) throw refuse();
  return release;
}

function ofDatabase(sql: Sql): Admission {
  const known = ofDatabases.get(sql);
  const admission =
    known ?? new Admission({ capacity: () => Math.ceil(sql.options.max / 2), refuse });
  ofDatabases.set(sql, admission);
  return admission;
}

/** Creates a file without a name, so that none is left behind. */
async function createSpool(): Promise<FileHandle> {
  await mkdir(tmpdir(), { recursive: true });
  const name = path.join(tmpdir(), `list-${randomUUID()}`);
  const spool = await open(name, "ax+", 0o600);
  await rm(name);
  return spool;
}

/** Writes pages, each in its turn, until the list or the file ends; returns the outcome of a page that fails. */
async function writePages(
  { page, after, action, dialect, format, signal, sql: database, rows: most }: FileRequest,
  sql: Queryable,
  head: ServedHead,
  spool: FileHandle,
): Promise<Written> {
  const columns = columnsOf(action, dialect, head);
  const lineOf = (row: Record<string, unknown>) =>
    format === "csv" ? csvLine(columns.map((name) => row[name])) : `${JSON.stringify(row)}\n`;
  await spool.truncate();
  if (format === "csv") await spool.appendFile(csvLine(columns));
  let [size, rows, characters, next] = [ROWS, 0, 0, after as PageKey | undefined];
  while (next && rows < most && characters < LONGEST) {
    const release = await turns.enter({ signal }).catch(() => undefined);
    try {
      signal.throwIfAborted();
      const range = { limit: Math.min(size, most - rows) + 1, skip: 0, after: next };
      const outcome = await page((query) => query(sql, Promise.resolve(head)), range);
      if (outcome.kind !== "ok") return outcome;
      const found = outcome.result as Record<string, unknown>[];
      const text = found.map(lineOf).join("");
      await spool.appendFile(text);
      [rows, characters, next] = [rows + found.length, characters + text.length, outcome.next];
    } catch (error) {
      if (!(error instanceof PageTooLarge) || size === 1) throw error;
      size = Math.ceil(size / 10);
    } finally {
      await calmTurn();
      release?.();
    }
    if (isDistributedRead(sql) && (await getIndexState(database))?.generation !== head.generation)
      throw new RequestError(503, "busy", REORGANISED);
  }
  return { rows, next, head };
}

/** Reads a file in pieces; `cut` is called when one is not taken in time. */
async function* piecesOf(spool: FileHandle, cut: () => void) {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await spool.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const timer = setTimeout(cut, LONGEST_SILENCE_MS);
    try {
      yield buffer.subarray(0, bytesRead);
    } finally {
      clearTimeout(timer);
    }
  }
}

function columnsOf(action: Action, dialect: Dialect, { l1FeesFrom }: ServedHead): string[] {
  const { element } = forDialect(action.result, dialect) as z.ZodArray<z.ZodObject>;
  return Object.keys(element.shape).filter((name) => name !== "L1FeesPaid" || l1FeesFrom !== null);
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

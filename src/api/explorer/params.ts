import { z } from "zod";
import { INTEGER } from "../../core/decimal.ts";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, lowerHex } from "../../core/evm/hex.ts";
import { parseUtcDay, SECONDS_PER_DAY } from "../../core/time.ts";
import type { PageRange } from "../../store/lists/large-pages.ts";
import type { BlockBounds } from "../../store/lists/page.ts";
import { INVALID_CURSOR } from "../http/failures.ts";
import type { RawParameters } from "./action.ts";
import { type Failure, failed } from "./envelope.ts";

// Schemas of parameters shared by actions. They have the wire's error texts and return the parsed
// value. Source: docs/wire.md, "Paging" and "Values".

/** The wire's error texts for an absent and for an invalid parameter. */
export interface ParameterTexts {
  /** Not needed for an optional parameter. */
  required?: string;
  invalid: string;
}

export const MAXIMUM_OFFSET = 10_000;
const MAXIMUM_WINDOW = 10_000;
const MAXIMUM_SKIP = 2 ** 31;
const MAXIMUM_BLOCK_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const MAXIMUM_BLOCK_FILTER = 2_147_483_647n;
const YEAR_0_SECONDS = -62_167_219_200n;
const YEAR_9999_SECONDS = 253_402_300_799n;
/** Most commas of a list: an action accepts 20 items at most, and a body of commas alone would take seconds and a gigabyte to split. */
const MAXIMUM_COMMAS = 1000;
const WINDOW_TEXT = `Result window is too large, PageNo x Offset size must be less than or equal to ${MAXIMUM_WINDOW}`;

const UNSIGNED = /^(?:\+?\d{1,100}|-0{1,100})$/;
const POSITIVE = /^\+?0*[1-9]\d*$/;

/** Documents the parameter as a number: a query spells numbers and text alike. */
function documentedInteger(minimum?: number) {
  return {
    type: "integer" as const,
    pattern: undefined,
    ...(minimum !== undefined && { minimum }),
  };
}

/** Decimal integer above 0. */
export const positive = z.string().regex(POSITIVE).transform(Number).meta(documentedInteger(1));

/** Text as sent. */
export function text(texts: ParameterTexts): z.ZodString {
  return z.string({ error: (issue) => complaint(issue.input, texts) });
}

function complaint(input: unknown, { required, invalid }: ParameterTexts): string {
  return input === undefined ? (required ?? invalid) : invalid;
}

/** Returns items of a list separated by commas, trimmed, without empty ones. */
export function listItems(list: string): string[] {
  return list
    .split(",", MAXIMUM_COMMAS)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Parses 20 bytes to lower case. */
export function address(texts: ParameterTexts) {
  return text(texts)
    .regex(/^0x[0-9a-fA-F]{40}$/, texts.invalid)
    .transform((value): Address => lowerAddress(value))
    .describe("Account or contract");
}

/** Parses addresses separated by commas, each once: at least `fewest`, at most `most`. */
export function addresses(texts: ParameterTexts, fewest: number, most: number) {
  return text(texts)
    .transform(listItems)
    .refine((items) => items.length >= fewest && items.every(isAddress), texts.invalid)
    .refine((items) => items.length <= most, `A maximum of ${most} addresses is allowed`)
    .transform((items): Address[] => [...new Set(items.map(lowerAddress))]);
}

/** Parses 32 bytes to lower case. */
export function hash(texts: ParameterTexts) {
  return text(texts)
    .regex(/^0x[0-9a-fA-F]{64}$/, texts.invalid)
    .transform((value): Hex => lowerHex(value));
}

/** Parses exactly one of the words. */
export function word<const Words extends readonly [string, ...string[]]>(
  words: Words,
  texts: ParameterTexts,
) {
  return z.enum(words, { error: (issue) => complaint(issue.input, texts) });
}

/** Parses a decimal integer of up to 100 digits with an optional sign. */
export function integer(texts: ParameterTexts) {
  return text(texts).regex(INTEGER, texts.invalid).transform(BigInt).meta(documentedInteger());
}

/** Parses a decimal integer of 0 or more. */
export function unsigned(texts: ParameterTexts) {
  return text(texts).regex(UNSIGNED, texts.invalid).transform(BigInt).meta(documentedInteger(0));
}

/** Parses a decimal integer of 0 or more, at most 2^53 - 1, beyond every block. */
export function blockNumber(texts: ParameterTexts) {
  return unsigned(texts)
    .transform((value) => Number(value > MAXIMUM_BLOCK_NUMBER ? MAXIMUM_BLOCK_NUMBER : value))
    .describe("Number of a block");
}

/** Parses a UTC day `yyyy-mm-dd` to the days since 1970-01-01. */
export function utcDay(texts: ParameterTexts) {
  return text(texts)
    .regex(/^\d{4}-\d{2}-\d{2}$/, texts.invalid)
    .refine((day) => parseUtcDay(day) !== undefined, texts.invalid)
    .transform((day) => (parseUtcDay(day) ?? 0) / SECONDS_PER_DAY)
    .meta({ description: "Day in UTC, yyyy-mm-dd", format: "date", pattern: undefined });
}

/** Parses unix seconds within the years 0 to 9999. */
export function unixSeconds(texts: ParameterTexts) {
  return integer(texts)
    .refine((value) => value >= YEAR_0_SECONDS && value <= YEAR_9999_SECONDS, texts.invalid)
    .transform(Number);
}

/** Page, counted from 1; an invalid value is ignored. */
export const page = positive
  .default(1)
  .catch(1)
  .describe("Page of the list, counted from 1; a bad value counts as absent");

/** Parses the rows of a page; an invalid value, or one above the maximum, is ignored. */
export function offset(standard: number, maximum = MAXIMUM_OFFSET) {
  return positive
    .refine((rows) => rows <= maximum)
    .default(standard)
    .catch(standard)
    .meta({
      description: "Entries of a page; a bad value, or one above the maximum, counts as absent",
      maximum,
    });
}

const format = z
  .enum(["json", "csv", "ndjson"], { error: "Invalid format" })
  .optional()
  .describe("`csv` or `ndjson`: the list as a file, in which `offset` may be up to 100000");

/** Returns parameters of a list with cursors, which cursor.ts parses. */
export function paging(standard: number, maximum = MAXIMUM_OFFSET) {
  return {
    page,
    offset: offset(standard, maximum),
    cursor: z
      .string({ error: INVALID_CURSOR })
      .optional()
      .describe(
        "`start`, then the `x-next-cursor` of the answer before, until there is none: each entry of the list once, however long it is",
      ),
    format,
  };
}

/** Parses `true`, in any letter case; anything else is off. */
export function flag(description: string) {
  return z
    .string()
    .transform((value) => value.toLowerCase() === "true")
    .default(false)
    .catch(false)
    .meta({ description, type: "boolean" });
}

/** Order of a list; an invalid value is ignored. The action decides the order when it is undefined. */
export const sort = z
  .enum(["asc", "desc"])
  .optional()
  .catch(undefined)
  .describe("Order of the list: `asc` the oldest first, `desc` the newest first");

/** Required side of the address in a transaction; an invalid value is ignored. */
export const side = z
  .enum(["from", "to"])
  .optional()
  .catch(undefined)
  .describe("Only transactions that the address sent (`from`) or received (`to`)");

/** Inclusive bound of block numbers; an invalid value, or one of 2^31 and more, is ignored. */
const blockBound = z
  .string()
  .regex(UNSIGNED)
  .transform(BigInt)
  .refine((value) => value <= MAXIMUM_BLOCK_FILTER)
  .transform(Number)
  .optional()
  .catch(undefined)
  .meta({ ...documentedInteger(0), maximum: Number(MAXIMUM_BLOCK_FILTER) });

/** Parameters of a list that is bounded by blocks. */
export const blockBounds = {
  startblock: blockBound.describe("First block, included"),
  endblock: blockBound.describe("Last block, included"),
};

/** Returns the blocks of `blockBounds`. */
export function blocksOf(input: {
  startblock?: number | undefined;
  endblock?: number | undefined;
}): BlockBounds {
  return { from: input.startblock, to: input.endblock };
}

/** Inclusive bound of times in Unix seconds; an invalid value is ignored. */
export const timeBound = unixSeconds({ invalid: "" })
  .optional()
  .catch(undefined)
  .meta(documentedInteger());

/** Returns the rows of a page; none when it lies beyond every list. */
export function pageRange({ page, offset }: Readonly<Record<string, unknown>>): PageRange {
  const skip = (Number(page ?? 1) - 1) * Number(offset);
  return skip < MAXIMUM_SKIP ? { limit: Number(offset), skip } : { limit: 0, skip: 0 };
}

/** Returns the failure for a page of a list beyond its first 10,000 rows, where both page and offset are sent. */
export function refuseWindow(
  { page, offset }: z.ZodRawShape,
  sent: RawParameters,
): Failure | undefined {
  if (!page || !offset || (sent["cursor"] ?? sent["format"] ?? "json") !== "json") return undefined;
  const asked = positive.safeParse(sent["page"]);
  const rows = positive.safeParse(sent["offset"]);
  // Above its maximum an offset counts as absent.
  if (!asked.success || z.safeParse(offset, sent["offset"]).data !== rows.data) return undefined;
  const isOver = asked.data * Number(rows.data) > MAXIMUM_WINDOW;
  return isOver ? failed("window-too-large", WINDOW_TEXT) : undefined;
}

/** Returns `missing` of the actions that name all absent parameters at once, in alphabetical order. */
export function listMissing(names: readonly string[]): string {
  return `Required query parameters missing: ${names.toSorted().join(", ")}`;
}

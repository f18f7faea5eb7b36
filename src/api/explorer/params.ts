import { z } from "zod";
import { INTEGER } from "../../core/decimal.ts";
import { type Address, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, lowerHex } from "../../core/evm/hex.ts";
import { parseUtcDay, SECONDS_PER_DAY } from "../../core/time.ts";
import type { PageRange } from "../../store/lists/large-pages.ts";
import type { BlockBounds } from "../../store/lists/page.ts";
import { INVALID_CURSOR } from "../http/failures.ts";
import type { RawParameters } from "./action.ts";
import { type Failure, failed } from "./envelope.ts";

// Schemas of the parameters that several actions share. They take the wire's error texts and give the handler the
// parsed value. Source: docs/wire.md, "Paging" and "Values".

/** The wire's error texts for a parameter that is absent and for an invalid one. */
export interface ParameterTexts {
  /** Not needed for a parameter that may be absent. */
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
/** No action takes more than 20 items; a body of commas alone would take seconds and a gigabyte to split. */
const MAXIMUM_COMMAS = 1000;
const WINDOW_TEXT = `Result window is too large, PageNo x Offset size must be less than or equal to ${MAXIMUM_WINDOW}`;

const UNSIGNED = /^(?:\+?\d{1,100}|-0{1,100})$/;
const POSITIVE = /^\+?0*[1-9]\d*$/;

/** Documents show the parameter as a number of this kind: in a query its digits are the same as a text's. */
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

/** Items of a list separated by commas, trimmed, without empty ones. */
export function listItems(list: string): string[] {
  return list
    .split(",", MAXIMUM_COMMAS)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** 20 bytes, lower case for the handler. */
export function address(texts: ParameterTexts) {
  return text(texts)
    .regex(/^0x[0-9a-fA-F]{40}$/, texts.invalid)
    .transform((value): Address => lowerAddress(value))
    .describe("Account or contract");
}

/** 32 bytes, lower case for the handler. */
export function hash(texts: ParameterTexts) {
  return text(texts)
    .regex(/^0x[0-9a-fA-F]{64}$/, texts.invalid)
    .transform((value): Hex => lowerHex(value));
}

/** One of the words exactly. */
export function word<const Words extends readonly [string, ...string[]]>(
  words: Words,
  texts: ParameterTexts,
) {
  return z.enum(words, { error: (issue) => complaint(issue.input, texts) });
}

/** Decimal integer of up to 100 digits with an optional sign. */
export function integer(texts: ParameterTexts) {
  return text(texts).regex(INTEGER, texts.invalid).transform(BigInt).meta(documentedInteger());
}

/** Decimal integer of 0 or more. */
export function unsigned(texts: ParameterTexts) {
  return text(texts).regex(UNSIGNED, texts.invalid).transform(BigInt).meta(documentedInteger(0));
}

/** Decimal integer of 0 or more; what exceeds 2^53 - 1 becomes that, for there is no such block. */
export function blockNumber(texts: ParameterTexts) {
  return unsigned(texts)
    .transform((value) => Number(value > MAXIMUM_BLOCK_NUMBER ? MAXIMUM_BLOCK_NUMBER : value))
    .describe("Number of a block");
}

/** UTC day as `yyyy-mm-dd`; for the handler the days since 1970-01-01. */
export function utcDay(texts: ParameterTexts) {
  return text(texts)
    .regex(/^\d{4}-\d{2}-\d{2}$/, texts.invalid)
    .refine((day) => parseUtcDay(day) !== undefined, texts.invalid)
    .transform((day) => (parseUtcDay(day) ?? 0) / SECONDS_PER_DAY)
    .meta({ description: "Day in UTC, yyyy-mm-dd", format: "date", pattern: undefined });
}

/** Unix seconds within the years 0 to 9999. */
export function unixSeconds(texts: ParameterTexts) {
  return integer(texts)
    .refine((value) => value >= YEAR_0_SECONDS && value <= YEAR_9999_SECONDS, texts.invalid)
    .transform(Number);
}

/** Page, counted from 1; a bad value is ignored. */
export const page = positive
  .default(1)
  .catch(1)
  .describe("Page of the list, counted from 1; a bad value counts as absent");

/** Rows of a page; a bad value, or one above the maximum, is ignored. */
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

/** Parameters of a list that can be read to its end. `cursor` is read by cursor.ts. */
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
  };
}

/** On where it is `true`, in any letter case; off otherwise. */
export function flag(description: string) {
  return z
    .string()
    .transform((value) => value.toLowerCase() === "true")
    .default(false)
    .catch(false)
    .meta({ description, type: "boolean" });
}

/** Order of a list; a bad value is ignored. The action decides the order when it is undefined. */
export const sort = z
  .enum(["asc", "desc"])
  .optional()
  .catch(undefined)
  .describe("Order of the list: `asc` the oldest first, `desc` the newest first");

/** Side of a transaction that the address must stand on; a bad value is ignored. */
export const side = z
  .enum(["from", "to"])
  .optional()
  .catch(undefined)
  .describe("Only transactions that the address sent (`from`) or received (`to`)");

/** Inclusive bound of block numbers; a bad value, or one of 2^31 and more, is ignored. */
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

/** The blocks that `blockBounds` ask for. */
export function blocksOf(input: {
  startblock?: number | undefined;
  endblock?: number | undefined;
}): BlockBounds {
  return { from: input.startblock, to: input.endblock };
}

/** Inclusive bound of times in Unix seconds; a bad value is ignored. */
export const timeBound = unixSeconds({ invalid: "" })
  .optional()
  .catch(undefined)
  .meta(documentedInteger());

/** Rows of the page that parameters ask for; none when it lies beyond every list. */
export function pageRange({ page, offset }: Readonly<Record<string, unknown>>): PageRange {
  const skip = (Number(page ?? 1) - 1) * Number(offset);
  return skip < MAXIMUM_SKIP ? { limit: Number(offset), skip } : { limit: 0, skip: 0 };
}

/** `check` of the lists: when page and offset are both given, nothing beyond the first 10,000 rows is served. */
export function windowCheck(maximumOffset = MAXIMUM_OFFSET) {
  return (parameters: RawParameters): Failure | undefined => {
    if (parameters["cursor"] !== undefined) return undefined;
    const asked = positive.safeParse(parameters["page"]);
    const rows = positive.safeParse(parameters["offset"]);
    if (!asked.success || !rows.success || rows.data > maximumOffset) return undefined;
    const isOver = asked.data * rows.data > MAXIMUM_WINDOW;
    return isOver ? failed("window-too-large", WINDOW_TEXT) : undefined;
  };
}

/** `missing` of the actions that name all absent parameters at once, in alphabetical order. */
export function listMissing(names: readonly string[]): string {
  return `Required query parameters missing: ${names.toSorted().join(", ")}`;
}

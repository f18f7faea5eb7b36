/** `blockscout` is what `/api` speaks, `etherscan` what `/v2/api` does. */
export type Dialect = "blockscout" | "etherscan";

/** The parameters of a request by name: the exact name first, then in any letter case. */
export interface Parameters {
  get(name: string): string | undefined;
  /** As they were sent. */
  readonly sent: Readonly<Record<string, string>>;
}

/** Parameters of a request. */
export function createParameters(sent: Readonly<Record<string, string>>): Parameters {
  return {
    sent,
    get(name) {
      if (Object.hasOwn(sent, name)) return sent[name];
      const lower = name.toLowerCase();
      const other = Object.keys(sent).find((key) => key.toLowerCase() === lower);
      return other === undefined ? undefined : sent[other];
    },
  };
}

/** The integer of a text; undefined when anything else stands in it. */
export function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?[0-9]+$/.test(text)
    ? BigInt(text.replace("+", ""))
    : undefined;
}

function within(text: string | undefined, least: bigint, most: bigint): number | undefined {
  const value = integer(text);
  return value !== undefined && value >= least && value <= most ? Number(value) : undefined;
}

/** Rows of a list that are asked for, or that the window was left. */
export type Paging = { skip: number; limit: number } | "too large";

const LAST_PAGE = 2n ** 63n;
const WINDOW = 10_000;

/** `page` and `offset`, bad values ignored. The window rule counts when both are good. */
export function paging(
  parameters: Parameters,
  {
    offset: standard,
    maximum = 10_000,
    window = true,
  }: { offset: number; maximum?: number; window?: boolean },
): Paging {
  const page = within(parameters.get("page"), 1n, LAST_PAGE);
  const offset = within(parameters.get("offset"), 1n, BigInt(maximum));
  if (window && page !== undefined && offset !== undefined && page * offset > WINDOW) {
    return "too large";
  }
  const limit = offset ?? standard;
  return { skip: ((page ?? 1) - 1) * limit, limit };
}

export const WINDOW_TEXT =
  "Result window is too large, PageNo x Offset size must be less than or equal to 10000";

/** One page of a list. */
export function pageOf<Element>(
  elements: readonly Element[],
  { skip, limit }: { skip: number; limit: number },
): Element[] {
  return elements.slice(skip, skip + limit);
}

/** Whether the list ascends; the dialects have different defaults. */
export function isAscending(parameters: Parameters, dialect: Dialect): boolean {
  const sort = parameters.get("sort");
  return sort === "asc" || (sort !== "desc" && dialect === "etherscan");
}

/** `startblock` and `endblock`: a test of block numbers. */
export function blockFilter(parameters: Parameters): (block: number) => boolean {
  const least = within(parameters.get("startblock"), 0n, 2_147_483_647n) ?? 0;
  const most = within(parameters.get("endblock"), 0n, 2_147_483_647n) ?? Number.POSITIVE_INFINITY;
  return (block) => block >= least && block <= most;
}

const LAST_SECOND = 253_402_300_799n;
const FIRST_SECOND = -62_167_219_200n;

/** `start_timestamp` and `end_timestamp`: a test of Unix seconds. */
export function timeFilter(parameters: Parameters): (time: number) => boolean {
  const bound = (name: string): number | undefined =>
    within(parameters.get(name), FIRST_SECOND, LAST_SECOND);
  const least = bound("start_timestamp") ?? Number.NEGATIVE_INFINITY;
  const most = bound("end_timestamp") ?? Number.POSITIVE_INFINITY;
  return (time) => time >= least && time <= most;
}

/** `filter_by`; undefined for both sides. */
export function sideFilter(parameters: Parameters): "from" | "to" | undefined {
  const side = parameters.get("filter_by");
  return side === "from" || side === "to" ? side : undefined;
}

/** The complaint about required parameters that were not sent; undefined when all were. */
export function missingText(parameters: Parameters, names: readonly string[]): string | undefined {
  const missing = names.filter((name) => parameters.get(name) === undefined).toSorted();
  return missing.length > 0
    ? `Required query parameters missing: ${missing.join(", ")}`
    : undefined;
}

/** The token and the owner that a request names, or the complaint about them. */
export function tokenAndOwner(
  parameters: Parameters,
): { token: `0x${string}`; owner: `0x${string}` } | string {
  const missing = missingText(parameters, ["address", "contractaddress"]);
  if (missing !== undefined) return missing;
  const token = addressOf(parameters.get("contractaddress") ?? "");
  if (!token) return "Invalid contractaddress format";
  const owner = addressOf(parameters.get("address") ?? "");
  return owner ? { token, owner } : "Invalid address format";
}

/** The address of a text in lower case; undefined when it is not one. */
export function addressOf(text: string): `0x${string}` | undefined {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as `0x${string}`) : undefined;
}

/** The hash of a text in lower case; undefined when it is not one. */
export function hashOf(text: string): `0x${string}` | undefined {
  return /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as `0x${string}`) : undefined;
}

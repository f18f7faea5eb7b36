import { z } from "zod";
import { messageOf } from "../core/errors.ts";
import type { Web, WebAnswer } from "./web.ts";

/** A field that differs between two explorers. */
export interface Difference {
  address: string;
  question: string;
  /** `result[3].gasUsed` */
  field: string;
  here: string;
  there: string;
}

/** Returns a list's parameters up to a block; absent for other actions. */
type Listed = (endblock: string) => Readonly<Record<string, string>>;

/** `field` is the parameter for the address. */
type Question = readonly [module: string, action: string, field: string, listed?: Listed];

const ROWS = 100;

const byBlock: Listed = (endblock) => ({ startblock: "0", endblock });
const whole: Listed = () => ({});
const TRANSFERS = ["tokentx", "tokennfttx", "token1155tx"];
const LISTS = ["txlist", "txlistinternal", ...TRANSFERS];

/** Each action about an address, in each of its forms. */
const QUESTIONS: readonly Question[] = [
  ["account", "balance", "address"],
  ...LISTS.map((action): Question => ["account", action, "address", byBlock]),
  ...TRANSFERS.map((action): Question => ["account", action, "contractaddress", byBlock]),
  ["account", "tokenlist", "address", whole],
  ["account", "getminedblocks", "address", whole],
  ["logs", "getLogs", "address", (endblock) => ({ fromBlock: "0", toBlock: endblock })],
  ["contract", "getabi", "address"],
  ["contract", "getsourcecode", "address"],
  ["contract", "getcontractcreation", "contractaddresses"],
  ["token", "getToken", "contractaddress"],
  ["token", "getTokenHolders", "contractaddress", whole],
  ["token", "tokenholderlist", "contractaddress", whole],
  ["stats", "tokensupply", "contractaddress"],
];
/** Texts of explorers that lack the action. */
const NOT_THERE = /unknown (?:action|module)|missing or invalid (?:action|module)/i;
/** Fields that depend on the moment of the request. */
const OF_THE_MOMENT = /\.confirmations$/;
const LONGEST_VALUE = 80;
const head = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/i) });

/**
 * Compares two explorers' answers up to the lower head; `onEach` gets fields that differ twice. Long lists by first and last hundred.
 * Returns the number of differences, and the actions that one of the two lacks.
 */
export async function compare(
  here: Web,
  there: Web,
  addresses: readonly string[],
  onEach: (difference: Difference) => void,
): Promise<{ differences: number; notCompared: string[] }> {
  let differences = 0;
  const missing = new Set<string>();
  const endblock = String(Math.min(await headOf(here), await headOf(there)));

  const askBoth = (parameters: Record<string, string>) =>
    Promise.all([answerOf(here, parameters), answerOf(there, parameters)]);

  /** Returns our answer. */
  async function ask(address: string, asked: Question, sort?: "asc" | "desc"): Promise<WebAnswer> {
    const [module, action, field, listed] = asked;
    const list = listed && { page: "1", offset: String(ROWS), ...listed(endblock) };
    const parameters = { module, action, [field]: address, ...list, ...(sort && { sort }) };
    let [ours, theirs] = await askBoth(parameters);
    if (isNotThere(ours) || isNotThere(theirs)) {
      missing.add(action);
      return ours;
    }
    // Asks again: one of the two may have received a block in between.
    if (listDifferences(ours, theirs).length > 0) [ours, theirs] = await askBoth(parameters);
    const form = [action, field === "contractaddress" && listed === byBlock && "of the token"];
    const question = [...form, sort === "desc" && sort].filter(Boolean).join(" ");
    for (const difference of listDifferences(ours, theirs)) {
      differences++;
      onEach({ address, question, ...difference });
    }
    return ours;
  }

  for (const address of addresses) {
    for (const asked of QUESTIONS) {
      const [, action, , listed] = asked;
      if (missing.has(action)) continue;
      const isSorted = listed === byBlock;
      const { result } = await ask(address, asked, isSorted ? "asc" : undefined);
      if (isSorted && Array.isArray(result) && result.length === ROWS) {
        await ask(address, asked, "desc");
      }
    }
  }
  return { differences, notCompared: [...missing] };
}

/** Requests for the head in Blockscout's form and in Etherscan's. */
const HEADS = [
  { module: "block", action: "eth_block_number" },
  { module: "proxy", action: "eth_blockNumber" },
];

async function headOf(web: Web): Promise<number> {
  for (const parameters of HEADS) {
    const parsed = head.safeParse(await web.get({ parameters }));
    if (parsed.success) return Number.parseInt(parsed.data.result, 16);
  }
  throw new Error(`${web.name} does not report its head`);
}

async function answerOf(web: Web, parameters: Record<string, string>): Promise<WebAnswer> {
  try {
    return await web.get({ parameters });
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

function isNotThere({ message, result }: WebAnswer): boolean {
  return [message, result].some((text) => typeof text === "string" && NOT_THERE.test(text));
}

/** Compares answers without their messages. */
function listDifferences(ours: WebAnswer, theirs: WebAnswer) {
  const [own, other] = [ours, theirs].map(({ status, result, failure }) =>
    failure === undefined ? { status, result } : { failure },
  );
  const all = differ("", own, other);
  return [...all].filter(({ field }) => !OF_THE_MOMENT.test(field));
}

function* differ(
  field: string,
  ours: unknown,
  theirs: unknown,
): Generator<Pick<Difference, "field" | "here" | "there">> {
  if (isParted(ours) && isParted(theirs) && Array.isArray(ours) === Array.isArray(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const name = Array.isArray(ours) ? `${field}[${key}]` : `${field}.${key}`;
      yield* differ(name.replace(/^\./, ""), ours[key], theirs[key]);
    }
  } else if (ours !== theirs) {
    yield { field, here: show(ours), there: show(theirs) };
  }
}

function isParted(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

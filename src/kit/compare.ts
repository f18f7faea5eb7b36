import { z } from "zod";
import { messageOf } from "../core/errors.ts";
import type { Web } from "./web.ts";

/** A field that differs between two explorers. */
export interface Difference {
  address: string;
  question: string;
  /** `result[3].gasUsed` */
  field: string;
  here: string;
  there: string;
}

/** What is asked for each address, by the name of the action. */
const QUESTIONS: Readonly<Record<string, { module: string; field?: string; paged?: true }>> = {
  balance: { module: "account" },
  txlist: { module: "account", paged: true },
  txlistinternal: { module: "account", paged: true },
  tokentx: { module: "account", paged: true },
  tokennfttx: { module: "account", paged: true },
  getsourcecode: { module: "contract" },
  getcontractcreation: { module: "contract", field: "contractaddresses" },
};
/** Fields that depend on the moment of the request. */
const OF_THE_MOMENT = /\.confirmations$/;
const LONGEST_VALUE = 80;
const head = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/i) });

/**
 * Asks two explorers the same questions about each address, with lists up to the lower of their heads, and gives each
 * field that differs to `onEach`.
 */
export async function compare(
  here: Web,
  there: Web,
  addresses: readonly string[],
  onEach: (difference: Difference) => void,
): Promise<number> {
  let differences = 0;
  const endblock = String(Math.min(await headOf(here), await headOf(there)));
  for (const address of addresses) {
    for (const [action, { module, field = "address", paged }] of Object.entries(QUESTIONS)) {
      const range = paged && { page: "1", offset: "100", sort: "asc", startblock: "0", endblock };
      const parameters = { module, action, [field]: address, ...range };
      const [ours, theirs] = await Promise.all([
        answerOf(here, parameters),
        answerOf(there, parameters),
      ]);
      for (const difference of differ("", ours, theirs)) {
        if (OF_THE_MOMENT.test(difference.field)) continue;
        differences++;
        onEach({ address, question: action, ...difference });
      }
    }
  }
  return differences;
}

async function headOf(web: Web): Promise<number> {
  const parameters = { module: "block", action: "eth_block_number" };
  const parsed = head.safeParse(await web.get({ parameters }));
  if (!parsed.success) throw new Error(`${web.name} does not tell its head`);
  return Number.parseInt(parsed.data.result, 16);
}

async function answerOf(web: Web, parameters: Record<string, string>): Promise<unknown> {
  try {
    const { status, result } = (await web.get({ parameters })) as Record<string, unknown>;
    return { status, result };
  } catch (error) {
    return { failure: messageOf(error) };
  }
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

import type { AskOptions } from "../../../chain/options.ts";
import type { TokenBalanceQuery } from "../../../chain/questions.ts";
import { LARGEST_GROUP } from "../../../chain/state/contract-calls.ts";
import { makesCalls } from "../../../chain/state/unresponsive-contracts.ts";
import { chunk, mapLimit } from "../../../core/async.ts";
import { ChainError } from "../../../core/errors.ts";
import type { Address } from "../../../core/evm/address.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../action.ts";

/** Time limit of a question about several contracts, and of all these questions together, which run concurrently. */
const TOGETHER = { answerMs: 1_500 };
const ALL_TOGETHER_MS = 3_000;
/** Time limit of one contract alone, and time after which no further ones are asked alone. */
export const ALONE = { answerMs: 3_000 };
export const ALL_ALONE_MS = 3_000;
/** Half of a caller's default slots at a node, see `chain/rpc/limits.ts`. */
export const AT_ONCE = 2;

/** With these errors a contract may have made the whole request fail. */
export const SPOILT: ReadonlySet<string> = new Set([
  "timeout",
  "aborted",
  "unavailable",
  "node-error",
  "bad-answer",
  "response-too-large",
]);

type Reported = bigint | null | undefined;

/** Reads balances at the head in the order of the queries; undefined without an answer. A contract that stalls is asked alone. */
export async function fetchReportedBalances(
  { chain, unresponsive }: Pick<Context, "chain" | "unresponsive">,
  queries: readonly TokenBalanceQuery[],
  head: ServedHead,
): Promise<Reported[]> {
  const reported = new Map<TokenBalanceQuery, Reported>();
  const byToken = Map.groupBy(queries, ({ token }) => token);
  for (const token of byToken.keys()) if (unresponsive.rests(token)) byToken.delete(token);

  async function ask(asked: TokenBalanceQuery[], within: AskOptions): Promise<boolean> {
    try {
      const amounts = await chain.fetchTokenBalances(asked, head, within);
      for (const [index, query] of asked.entries()) reported.set(query, amounts[index]);
      return true;
    } catch (error) {
      if (error instanceof ChainError && SPOILT.has(error.code)) return false;
      throw error;
    }
  }

  async function askAlone(token: Address): Promise<void> {
    const asked = byToken.get(token) ?? [];
    const isAnswered = async (within: AskOptions) =>
      (await ask(asked, within)) && asked.every((query) => reported.get(query) !== undefined);
    let answers = await isAnswered(ALONE);
    if (!answers && !(await makesCalls(chain, head, ALONE))) throw unanswered();
    // The node may have stalled, and answers again.
    answers ||= await isAnswered(TOGETHER);
    if (answers) unresponsive.delete(token);
    else unresponsive.add(new Set([token]));
  }

  // At the time limit a suspect may stay unanswered; for any other token the node itself has failed.
  const suspects = unresponsive.all();
  const together = [...byToken.keys()].filter((token) => !suspects.has(token));
  if (together.length > 1) {
    const asked = together.flatMap((token) => byToken.get(token) ?? []);
    const within = { ...TOGETHER, signal: AbortSignal.timeout(ALL_TOGETHER_MS) };
    const groups = chunk(asked, LARGEST_GROUP).map(async (group) => {
      if (await ask(group, within)) for (const { token } of group) suspects.add(token);
    });
    await Promise.all(groups);
  }
  const open = [...byToken].filter(([, asked]) =>
    asked.some((query) => reported.get(query) === undefined),
  );
  const late = AbortSignal.timeout(ALL_ALONE_MS);
  const left = new Set<Address>();
  await mapLimit(open, AT_ONCE, async ([token]) => {
    if (!late.aborted) await askAlone(token);
    else if (suspects.has(token)) left.add(token);
    else throw unanswered();
  });
  if (left.size > 0) unresponsive.add(left);
  return queries.map((query) => reported.get(query));
}

function unanswered(): ChainError {
  return new ChainError("unavailable", "the node leaves contract calls unanswered");
}

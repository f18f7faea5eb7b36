import type { Chain } from "./chain.ts";
import type { AskOptions } from "./options.ts";
import type { StateRead } from "./questions.ts";

/** Caller of a question and its cancellation, see `AskOptions`. */
export type Caller = Required<Pick<AskOptions, "caller">> & Pick<AskOptions, "signal">;

/** Calls that may be made on behalf of a caller. */
export type CallerChain = ReturnType<typeof forCaller>;

/** Returns the chain scoped to a caller: its calls count against the caller's quota. */
export function forCaller(asker: Caller, chain: Chain) {
  const named = (options?: AskOptions): AskOptions => ({ ...asker, ...options });
  const read =
    <Question, Answer>(state: StateRead<Question, Answer>): StateRead<Question, Answer> =>
    (questions, block, options) =>
      state(questions, block, named(options));
  return {
    get nodes() {
      return chain.nodes;
    },
    capabilities: () => chain.capabilities(),
    viem: (options?) => chain.viem(named(options)),
    request: (method, params, options?) => chain.request(method, params, named(options)),
    forward: (calls, options?) => chain.forward(calls, named(options)),
    fetchHead: (options?) => chain.fetchHead(named(options)),
    fetchHeader: (numberOrHash, options?) => chain.fetchHeader(numberOrHash, named(options)),
    runCreations: (trials, block, overrides?, options?) =>
      chain.runCreations(trials, block, overrides, named(options)),
    fetchCoinBalances: read(chain.fetchCoinBalances),
    fetchCodes: read(chain.fetchCodes),
    fetchStorage: read(chain.fetchStorage),
    fetchCalls: read(chain.fetchCalls),
    fetchTokenBalances: read(chain.fetchTokenBalances),
    fetchTotalSupplies: read(chain.fetchTotalSupplies),
    fetchTokenMetadata: read(chain.fetchTokenMetadata),
  } satisfies Partial<Chain>;
}

import type { Chain } from "./chain.ts";
import type { AskOptions } from "./options.ts";
import type { StateRead } from "./questions.ts";
import type { StateReader } from "./state/state.ts";

/** Who asks, and until when, see `AskOptions`. */
export type Caller = Required<Pick<AskOptions, "caller">> & Pick<AskOptions, "signal">;

/** What is asked of a chain for others. */
export type CallerChain = Pick<
  Chain,
  | "nodes"
  | "capabilities"
  | "viem"
  | "request"
  | "forward"
  | "fetchHead"
  | "fetchHeader"
  | "runCreations"
> &
  StateReader;

/** The chain as it is asked in somebody's name: whatever goes to a node enters by the gate of callers. */
export function forCaller(asker: Caller, chain: Chain): CallerChain {
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
    viem: (options) => chain.viem(named(options)),
    request: (method, params, options) => chain.request(method, params, named(options)),
    forward: (calls, options) => chain.forward(calls, named(options)),
    fetchHead: (options) => chain.fetchHead(named(options)),
    fetchHeader: (numberOrHash, options) => chain.fetchHeader(numberOrHash, named(options)),
    runCreations: (trials, block, overrides, options) =>
      chain.runCreations(trials, block, overrides, named(options)),
    fetchCoinBalances: read(chain.fetchCoinBalances),
    fetchCodes: read(chain.fetchCodes),
    fetchStorage: read(chain.fetchStorage),
    fetchCalls: read(chain.fetchCalls),
    fetchTokenBalances: read(chain.fetchTokenBalances),
    fetchTotalSupplies: read(chain.fetchTotalSupplies),
    fetchTokenMetadata: read(chain.fetchTokenMetadata),
  };
}

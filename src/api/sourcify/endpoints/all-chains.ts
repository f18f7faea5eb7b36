import { z } from "zod";
import type { Queryable } from "../../../db/client.ts";
import { getVerifiedMatch } from "../../../store/verified-contracts/lookup.ts";
import { jsonAnswer } from "../../envelope.ts";
import { knownChainId, type ServedChain } from "../../served-chain.ts";
import { onOneState } from "../../state.ts";
import type { Endpoint } from "../endpoint.ts";
import { minimalContract, presentMatch } from "../match.ts";
import { requireAddress } from "../parameters.ts";

const results = z.object({ results: z.array(minimalContract) });

export const allChains: Endpoint = {
  name: "all-chains",
  method: "GET",
  path: "/v2/contract/all-chains/{address}",
  summary:
    "The same address on every chain that is served; one that cannot be asked now is left out",
  answers: {
    200: { description: "The contract is verified", schema: results },
    404: { description: "It is not verified", schema: results },
  },
  chainOf: async (_request, chains) => chains.find((chain) => chain.stopped() === null),
  async handle({ read, chainId: ours, chains }, request) {
    const address = requireAddress(request);
    const query = (sql: Queryable) => getVerifiedMatch(sql, address);
    const match = await read(query);
    const found = await Promise.all(
      chains.map(async (chain) => {
        const isOurs = knownChainId(chain) === ours();
        const matched = isOurs ? match : await readElsewhere(chain, query);
        return matched ? [presentMatch(chain.chainId(), address, matched)] : [];
      }),
    );
    const results = found.flat();
    return jsonAnswer({ results }, results.length > 0 ? 200 : 404);
  },
};

/** Reads from another chain; undefined when it does not answer now. */
async function readElsewhere<Found>(
  chain: ServedChain,
  query: (sql: Queryable) => Promise<Found>,
): Promise<Found | undefined> {
  if (chain.stopped() !== null) return undefined;
  const { outcomes } = await onOneState(chain.sql, [
    { servedWhileLoading: false, run: (read) => read(query) },
  ]);
  return outcomes[0]?.status === "fulfilled" ? outcomes[0].value : undefined;
}

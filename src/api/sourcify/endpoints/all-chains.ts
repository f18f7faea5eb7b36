import { z } from "zod";
import type { Queryable } from "../../../db/client.ts";
import { getVerifiedMatch } from "../../../store/contracts/verified/lookup.ts";
import { jsonAnswer } from "../../explorer/envelope.ts";
import { inTime } from "../../reading/deadline.ts";
import { resultOnOneState } from "../../reading/snapshot.ts";
import type { ServedChain } from "../../serving/served-chain.ts";
import type { Endpoint } from "../endpoint.ts";
import { minimalContract, presentMatch } from "../match.ts";
import { requireAddress } from "../parameters.ts";

/** Time limit of a chain: a slow one delays answers about the others no longer. */
const CHAIN_MS = 2000;

const results = z.object({ results: z.array(minimalContract) });

export const allChains: Endpoint = {
  name: "all-chains",
  path: "/v2/contract/all-chains/{address}",
  summary:
    "The same address on every chain that is served; one that cannot be asked now is left out",
  answers: {
    200: { description: "The contract is verified", schema: results },
    404: { description: "It is not verified", schema: results },
  },
  async handle({ chains }, request) {
    const address = requireAddress(request);
    const query = (sql: Queryable) => getVerifiedMatch(sql, address);
    const found = await Promise.all(
      chains.map(async (chain) => {
        const match = await readSoon(chain, query);
        return match ? [presentMatch(chain.chainId(), address, match)] : [];
      }),
    );
    const results = found.flat();
    return results.length > 0
      ? jsonAnswer({ results })
      : jsonAnswer({ results }, 404, { code: "not-verified" });
  },
};

/** Reads from a chain; undefined when it does not answer in time. */
async function readSoon<Found>(
  chain: ServedChain,
  query: (sql: Queryable) => Promise<Found>,
): Promise<Found | undefined> {
  if (chain.stopped() !== null) return undefined;
  const reading = resultOnOneState(chain.sql, (read) => read(query));
  const state = await inTime(reading, CHAIN_MS).catch(() => undefined);
  return state?.result;
}

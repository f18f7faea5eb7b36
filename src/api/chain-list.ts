import type { FastifyInstance } from "fastify";
import type { Services } from "./action.ts";
import { jsonAnswer } from "./envelope.ts";
import { send } from "./http.ts";
import { type HealthOptions, problemsOf, readHealth } from "./ops/health.ts";

export interface ChainListOptions extends HealthOptions, Pick<Services, "chainId"> {
  /** The chain's name for people, if it has one. */
  networkName: string | undefined;
}

const STATUSES = "status: 0 offline, 1 ok, 2 degraded";

/**
 * Adds Etherscan's `/v2/chainlist`, with the one chain of this server. Source: the wire contract, etherscan-v2,
 * section 1.
 */
export function addChainList(app: FastifyInstance, options: ChainListOptions): void {
  app.get("/v2/chainlist", async (request, reply) => {
    const chainId = knownChainId(options);
    const base = `${request.protocol}://${request.host}`;
    const result =
      chainId === undefined
        ? []
        : [
            {
              chainname: options.networkName ?? `Chain ${chainId}`,
              chainid: String(chainId),
              blockexplorer: `${base}/`,
              apiurl: `${base}/v2/api?chainid=${chainId}`,
              ...(await stateOf(options)),
            },
          ];
    return send(reply, jsonAnswer({ comments: STATUSES, totalcount: result.length, result }));
  });
}

/** Undefined until the node was reached for the first time. */
function knownChainId({ chainId }: ChainListOptions): number | undefined {
  try {
    return chainId();
  } catch {
    return undefined;
  }
}

async function stateOf(options: ChainListOptions): Promise<{ status: number; comment: string }> {
  const health = await readHealth(options);
  if (!health) return { status: 0, comment: "the database does not answer" };
  if (!options.chain.status().some(({ usable }) => usable)) {
    return { status: 0, comment: "the node does not answer" };
  }
  const [problem] = problemsOf(health);
  return problem === undefined ? { status: 1, comment: "" } : { status: 2, comment: problem };
}

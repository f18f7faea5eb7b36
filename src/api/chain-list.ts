import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServedChain } from "./chain-choice.ts";
import { jsonAnswer } from "./envelope.ts";
import { send } from "./http.ts";
import { type HealthOptions, problemsOf, readHealth } from "./ops/health.ts";

/** A chain by what tells how it is. */
export interface ListedChain extends HealthOptions, ServedChain {
  /** The chain's name for people, if it has one. */
  networkName: string | undefined;
}

const STATUSES = "status: 0 offline, 1 ok, 2 degraded";

/**
 * Adds Etherscan's `/v2/chainlist`: the chains in the order given, without those whose id is not known yet. Source:
 * docs/wire.md, "Chains".
 */
export function addChainList(
  app: FastifyInstance,
  { publicUrl }: { publicUrl: string | undefined },
  chains: readonly ListedChain[],
): void {
  app.get("/v2/chainlist", async (request, reply) => {
    const base = publicUrl ?? baseOf(request);
    const entries = await Promise.all(chains.map((chain) => describe(chain, base)));
    const result = entries.filter((entry) => entry !== undefined);
    return send(reply, jsonAnswer({ comments: STATUSES, totalcount: result.length, result }));
  });
}

/** Where the client has reached this server; a request without a host is told the address that it came to. */
function baseOf({ protocol, host, socket }: FastifyRequest): string {
  const { localAddress = "localhost", localPort } = socket;
  const address = isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  return `${protocol}://${host || `${address}:${localPort}`}`;
}

async function describe(chain: ListedChain, base: string) {
  const chainId = knownChainId(chain);
  if (chainId === undefined) return undefined;
  return {
    chainname: chain.networkName ?? `Chain ${chainId}`,
    chainid: String(chainId),
    blockexplorer: `${base}/`,
    apiurl: `${base}/v2/api?chainid=${chainId}`,
    ...(await stateOf(chain)),
  };
}

/** Undefined until the node was reached for the first time. */
function knownChainId({ chainId }: ServedChain): number | undefined {
  try {
    return chainId();
  } catch {
    return undefined;
  }
}

async function stateOf(chain: ListedChain): Promise<{ status: number; comment: string }> {
  const health = await readHealth(chain);
  if (!health) return { status: 0, comment: "the database does not answer" };
  if (!chain.chain.status().some(({ usable }) => usable)) {
    return { status: 0, comment: "the node does not answer" };
  }
  const [problem] = problemsOf(health);
  return problem === undefined ? { status: 1, comment: "" } : { status: 2, comment: problem };
}

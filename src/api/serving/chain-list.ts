import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { jsonAnswer } from "../explorer/envelope.ts";
import { type HttpOptions, send } from "../http/http.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { type HealthOptions, readState } from "../ops/health.ts";
import { chainTitle, knownChainId, type ServedChain } from "./served-chain.ts";

export type ChainListOptions = HealthOptions &
  Pick<HttpOptions, "chains"> & { publicUrl: string | undefined };

const STATUSES = "status: 0 offline, 1 ok, 2 degraded";

/** Adds Etherscan's `/v2/chainlist`, without chains of unknown id. Source: docs/wire.md, "Chains". */
export function addChainList(
  app: FastifyInstance,
  options: ChainListOptions,
  limiter: RateLimiter,
): void {
  app.get("/v2/chainlist", { onRequest: limiter.admit }, async (request, reply) => {
    const result = await listChains(request, options);
    return send(reply, jsonAnswer({ comments: STATUSES, totalcount: result.length, result }));
  });
}

/** The rows of the chains that a request may mean. */
export async function listChains(
  request: FastifyRequest,
  options: ChainListOptions,
): Promise<object[]> {
  const base = options.publicUrl ?? baseOf(request);
  const isOnly = options.chains().length === 1;
  const entries = await Promise.all(
    request.chains.map(async (chain) => {
      const chainId = knownChainId(chain);
      if (chainId === undefined) return [];
      return [
        {
          chainname: chainTitle(chain),
          chainid: String(chainId),
          blockexplorer: isOnly ? `${base}/` : `${base}/${chainId}/`,
          apiurl: `${base}/v2/api?chainid=${chainId}`,
          ...(await stateOf(chain, options)),
        },
      ];
    }),
  );
  return entries.flat();
}

/** Base URL by which the client reached this server; without a Host header the local address. */
export function baseOf({ protocol, host, socket }: FastifyRequest): string {
  const { localAddress = "localhost", localPort } = socket;
  const address = isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  return `${protocol}://${host || `${address}:${localPort}`}`;
}

async function stateOf(
  chain: ServedChain,
  options: HealthOptions,
): Promise<{ status: number; comment: string }> {
  const { problems, isDown } = await readState(chain, options);
  const [problem] = problems;
  if (problem === undefined) return { status: 1, comment: "" };
  return { status: isDown ? 0 : 2, comment: chain.stopped() ?? problem };
}

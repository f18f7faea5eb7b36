import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { RequestError } from "../../core/errors.ts";
import { jsonAnswer, send } from "../http/answer.ts";
import { type InputValue, lookUp, type ParsedRequest } from "../http/input/form.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { type HealthOptions, readState } from "../ops/health.ts";
import { type ChainsOption, chainTitle, knownChainId, type ServedChain } from "./served-chain.ts";

/** `chainId` throws `RequestError` until it is known. */
type Identified = Pick<ServedChain, "chainId">;

/** Etherscan's spelling, and the one in Blockscout's documentation of the same path. */
const NAMES = ["chainid", "chain_id"];
const WRONG_CHAIN =
  "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids";

/** Returns the chain that a request names; required with several. Throws `RequestError`. Source: docs/wire.md, "Chains". */
export function chooseChain<Chain extends Identified>(
  chains: readonly Chain[],
  { query, body }: Pick<ParsedRequest, "query" | "body">,
): Chain {
  const [id, ...more] = [query, body].flatMap((part) => {
    const filled = new Map([...part].filter(([, value]) => value !== ""));
    return NAMES.map((name) => lookUp(filled, name)).filter((sent) => sent !== undefined);
  });
  const [first, ...others] = chains;
  if (first && id === undefined && others.length === 0) return first;
  const isOne = id !== undefined && more.every((other) => other === id);
  const chosen = isOne ? findChain(chains, id) : undefined;
  if (!chosen) throw new RequestError(200, "wrong-chain", WRONG_CHAIN);
  return chosen;
}

/** Finds the chain with the id. Without a match throws the error of a chain whose id is unknown, if any. */
function findChain<Chain extends Identified>(chains: readonly Chain[], id: InputValue) {
  let unknown: unknown;
  for (const chain of chains) {
    try {
      if (String(chain.chainId()) === id) return chain;
    } catch (error) {
      unknown ??= error;
    }
  }
  if (unknown !== undefined) throw unknown;
  return undefined;
}

type ChainListOptions = HealthOptions & ChainsOption & { publicUrl: string | undefined };

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

/** Returns the rows of `/v2/chainlist` for the chains of a request. */
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
      const { problems, isDown } = await readState(chain, options);
      const [problem = ""] = problems;
      return [
        {
          chainname: chainTitle(chain),
          chainid: String(chainId),
          blockexplorer: isOnly ? `${base}/` : `${base}/${chainId}/`,
          apiurl: `${base}/v2/api?chainid=${chainId}`,
          status: problem === "" ? 1 : isDown ? 0 : 2,
          comment: problem && (chain.stopped() ?? problem),
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

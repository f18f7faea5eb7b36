import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Uses } from "../../core/async.ts";
import { RequestError } from "../../core/errors.ts";
import type { IndexHealth } from "../../store/health.ts";
import type { CountedMetrics, Metrics } from "../../telemetry/metrics.ts";
import type { Services } from "../explorer/action.ts";
import type { Front } from "../http/http.ts";

/** A served chain, with all dependencies of its answers. */
export interface ServedChain extends Services {
  networkName: string | undefined;
  coinSymbol: string;
  /** This thread's metrics of the chain. */
  metrics: Metrics;
  /** Returns the metrics of its other threads. */
  countedElsewhere(): CountedMetrics;
  /** The report of this process's indexer while it writes: newer than the stored one, also when nothing can be stored. */
  ownIndexer(): Pick<IndexHealth, "indexer" | "indexerAgeSeconds"> | null;
  /** Running requests that may use it. */
  requests: Uses;
  /** Returns why it is not served; null while it is. */
  stopped(): string | null;
}

/** The served chains, in the order of their declaration; never empty. */
export type ServedChains = () => readonly [ServedChain, ...ServedChain[]];

export interface ChainsOption {
  chains: ServedChains;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** True if requests of this route end by themselves when their chain is no longer served. */
    endsWithChain?: boolean;
  }
  interface FastifyRequest {
    /** The possible chains of the request: the one at the start of its path, else all. The first is the default. */
    chains: ReturnType<ServedChains>;
    /** The chain of the request, once known. */
    chain: ServedChain | null;
  }
}

/** First parts of the server's own paths, unavailable as chain names. */
export const PATHS = new Set(
  (
    "api v2 mcp ots sourcify sourcifyv2 sourcifyverify-ui health metrics docs pages events openapi openapi-json llms-txt robots-txt favicon-ico " +
    "tx address block token transaction account accounts contract tokens nft " +
    "blocks txs contracts transactions contractsverified verified-contracts search search-results"
  ).split(" "),
);

/** Scheme, user and host, when the target has them. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i;
const FIRST_SEGMENT = /^\/+([^/?#]+)(?=[/?#]|$)/;

/** Serves `/{chain}/…` by id or by name in lower case with dashes. A name that two chains share is unknown. */
export function readChainOfPath(served: ServedChains): Pick<Front, "rewriteUrl" | "attach"> {
  const named = new WeakMap<IncomingMessage, ServedChain>();
  return {
    rewriteUrl: (request) => {
      const target = request.url ?? "/";
      const url = pathAndQueryOf(target);
      // The host of the target comes before the header (RFC 9112, 3.2.2).
      const [, host] = ORIGIN.exec(target) ?? [];
      if (host) request.headers.host = host;
      (request as IncomingMessage & { originalUrl?: string }).originalUrl = url;
      const [prefix = "", name = ""] = FIRST_SEGMENT.exec(url) ?? [];
      const [chain, other] = name
        ? served().filter((each) => name === namedOf(each) || name === String(knownChainId(each)))
        : [];
      if (!chain || other) return url;
      named.set(request as IncomingMessage, chain);
      const rest = url.slice(prefix.length);
      return rest.startsWith("/") ? rest : `/${rest}`;
    },
    attach: (app) => {
      app.decorateRequest("chains");
      app.decorateRequest("chain", null);
      app.addHook("onRequest", (request, reply, done) => {
        const chain = named.get(request.raw);
        request.chains = chain ? [chain] : served();
        if (!request.routeOptions.config.endsWithChain) {
          const uses = request.chains.map(({ requests }) => requests.begin());
          reply.raw.once("close", () => {
            for (const end of uses) end();
          });
        }
        done();
      });
    },
  };
}

function pathAndQueryOf(target: string): string {
  const rest = target.replace(ORIGIN, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}

/** Returns the chain's name in paths: lower case, with dashes; empty without a name. */
export function pathNameOf(networkName: string | undefined): string {
  return (networkName ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

const namedOf = perChain(({ networkName }) => {
  const name = pathNameOf(networkName);
  return PATHS.has(name) ? undefined : name;
});

/** Returns the chain's name for people; its id where it has none. */
export function chainTitle(chain: ServedChain): string {
  return chain.networkName ?? `Chain ${knownChainId(chain) ?? ""}`.trim();
}

/** Returns the id; undefined before the first contact with the node. */
export function knownChainId({ chainId }: Pick<ServedChain, "chainId">): number | undefined {
  try {
    return chainId();
  } catch {
    return undefined;
  }
}

/** Sets the chain of a request, by default the first. Throws `RequestError` when it is not served. */
export function decideChain(
  request: FastifyRequest,
  chain: ServedChain = request.chains[0],
): ServedChain {
  request.chain = chain;
  const reason = chain.stopped();
  if (reason !== null)
    throw new RequestError(503, "chain-stopped", `This chain is stopped: ${reason}`);
  return chain;
}

/** Returns a function that creates one part for each chain on first use. */
export function perChain<Part>(make: (chain: ServedChain) => Part): (chain: ServedChain) => Part {
  const parts = new WeakMap<ServedChain, Part>();
  return (chain) => {
    const part = parts.get(chain) ?? make(chain);
    parts.set(chain, part);
    return part;
  };
}

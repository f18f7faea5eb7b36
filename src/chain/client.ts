import { fetchBlocks } from "./blocks/blocks.ts";
import { FetchLoad } from "./blocks/fetch-load.ts";
import { createFeatures } from "./capabilities/features.ts";
import { probe } from "./capabilities/probe.ts";
import type { Chain } from "./chain.ts";
import { watchHeads } from "./heads/heads.ts";
import type { AskOptions, ChainOptions } from "./options.ts";
import { findHeader, getHead } from "./rpc/find-header.ts";
import { createPool } from "./rpc/pool.ts";
import { createRpcClient } from "./rpc/rpc-client.ts";
import { createCreationRunner } from "./state/creations.ts";
import { createPinnedReads, createStateReader } from "./state/state.ts";

/** Creates the chain over the nodes; sends nothing yet. Throws `ConfigError` for an invalid URL. */
export function createChain(options: ChainOptions): Chain {
  const { signal, log } = options;
  const pool = createPool(options);
  const client = createRpcClient(pool, signal);
  const features = createFeatures(pool.nodes, client, options);
  const source = {
    client,
    features,
    load: new FetchLoad(),
    traceTimeoutMs: options.requestTimeoutMs,
    log,
  };
  const readPinned = createPinnedReads(client, features);
  const hedged = (ask: AskOptions = {}) => ({ headWaits: ask.caller === undefined, ...ask });
  const fetchHead = (ask?: AskOptions) =>
    client.onNode(hedged(ask), async ({ name }, { transport }) => ({
      ...(await getHead(transport.ask)),
      node: name,
    }));

  return {
    get nodes() {
      return pool.nodes.filter(({ health }) => !health.excluded).map(({ name }) => name);
    },
    viem: (ask = {}) => client.ofAny(ask),
    status: () => pool.nodes.map((node) => node.status()),
    capabilities: () => features.capabilities(),
    request: client.request,
    forward: client.forward,
    probe: (ask = {}) => probe(pool, client, features, ask),
    fetchHead,
    fetchHeader: (numberOrHash, ask) =>
      client.onNode(hedged(ask), (_, { transport }) => findHeader(transport.ask, numberOrHash)),
    fetchBlocks: (numbers, ask = {}) => fetchBlocks(source, numbers, ask),
    watchHeads: ({ pollIntervalMs, signal: until }) =>
      watchHeads({
        pollIntervalMs,
        signal: until ? AbortSignal.any([signal, until]) : signal,
        webSocketUrl: options.webSocketUrl,
        log,
        fetchHead,
      }),
    ...createStateReader(readPinned),
    ...createCreationRunner(readPinned),
    close: () => pool.close(),
  };
}

import { createPublicClient, custom } from "viem";
import { fetchBlocks } from "./blocks.ts";
import type { AskOptions, Chain, ChainOptions } from "./chain.ts";
import { createCreationRunner } from "./creations.ts";
import { NodeError } from "./errors.ts";
import { createFeatures, traceTimeout } from "./features.ts";
import { fetchHead, fetchHeader } from "./headers.ts";
import { heads } from "./heads.ts";
import { createPool } from "./pool.ts";
import { probe } from "./probe.ts";
import { createRpcClient } from "./rpc-client.ts";
import { createStateReader } from "./state.ts";

/** Creates the chain over the nodes; nothing is sent before it is asked. Throws `ConfigError` for an impossible URL. */
export function createChain(options: ChainOptions): Chain {
  const { signal, log } = options;
  const pool = createPool(options);
  const client = createRpcClient(pool, signal);
  const features = createFeatures(pool.nodes, client, options);
  const source = { client, features, traceTimeout: traceTimeout(options), log };
  const fetchHeadHere = (ask: AskOptions = {}) => fetchHead(client, ask);

  return {
    nodes: pool.nodes.map(({ name }) => name),
    viem: createPublicClient({
      cacheTime: 0,
      // A contract may answer with URLs to be asked (EIP-3668): nobody asks what the chain names.
      ccipRead: false,
      transport: custom(
        {
          request: ({ method, params }: { method: string; params?: readonly unknown[] }) =>
            client.request(method, params ?? []).catch(throwForViem),
        },
        { retryCount: 0 },
      ),
    }),
    otherNode: (node) =>
      pool.nodes.find((other) => other.usable && other.name !== node)?.name ?? null,
    status: () => pool.nodes.map((node) => node.status()),
    capabilities: () => features.capabilities(),
    request: client.request,
    batch: client.batch,
    forward: client.forward,
    probe: (ask = {}) => probe(pool, client, features, ask),
    fetchHead: fetchHeadHere,
    fetchHeader: (numberOrHash, ask = {}) => fetchHeader(client, numberOrHash, ask),
    fetchBlocks: (numbers, ask = {}) => fetchBlocks(source, numbers, ask),
    heads: ({ pollIntervalMs, signal: until }) =>
      heads({
        pollIntervalMs,
        signal: until ? AbortSignal.any([signal, until]) : signal,
        webSocketUrl: options.webSocketUrl,
        log,
        fetchHead: fetchHeadHere,
      }),
    ...createStateReader(client, features),
    ...createCreationRunner(client, features),
    close: () => pool.close(),
  };
}

/** viem reads `code` and `data` of the JSON-RPC error object itself to tell a revert from other errors. */
function throwForViem(thrown: unknown): never {
  throw thrown instanceof NodeError && thrown.answer ? thrown.answer : thrown;
}

import { getChainId } from "../../core/deep-imports.ts";
import { createErrorCleaner } from "../errors/error-objects.ts";
import { NodeError, nodeErrorIn } from "../errors/errors.ts";
import type { AskOptions, ChainOptions } from "../options.ts";
import { createNode, type Node } from "./node.ts";
import { createNodeClient } from "./node-client.ts";
import { parseNodeUrl } from "./node-url.ts";

/** The nodes of one chain, in order of preference. */
export type NodePool = ReturnType<typeof createPool>;

/** Creates the nodes behind the URLs; sends nothing yet. Throws `ConfigError` for an invalid URL. */
export function createPool(options: ChainOptions) {
  const cleanError = createErrorCleaner(options);
  const nodes = options.urls.map((text, index) => {
    const url = parseNodeUrl(text);
    const name = `node ${index + 1}`;
    options.log.info({ node: name, host: url.host }, "using RPC node");
    const look = () => void check(node);
    const asked = { ...options, cleanError, onReturn: look, onSuspicion: look };
    const node: Node = createNode(url, name, asked);
    return node;
  });
  const checks = new Map<Node, Promise<void>>();
  let expectedChainId: number | undefined;

  /** Checks that the node answers and serves this chain; puts it back into use, or excludes it. */
  function check(node: Node): Promise<void> {
    const running = checks.get(node) ?? checkChain(node).finally(() => checks.delete(node));
    checks.set(node, running);
    return running;
  }

  async function checkChain(node: Node): Promise<void> {
    const viem = createNodeClient((calls) => node.call(calls, options.signal, { headWaits: true }));
    const chainId = await getChainId(viem).catch((thrown: unknown) => {
      if (!nodeErrorIn(thrown)) throw thrown;
    });
    if (chainId === undefined) return;
    if (chainId === (expectedChainId ?? chainId)) node.health.accept();
    else node.health.exclude(new NodeError("other-chain", `${node.name} serves another chain`));
  }

  /** Returns the nodes to ask, best first: those in use, then failed ones. Throws `RangeError` for an unknown name. */
  function candidates({ node, avoid }: AskOptions): Node[] {
    if (node !== undefined) {
      const named = nodes.filter(({ name }) => name === node);
      if (named.length === 0) throw new RangeError(`no node ${node}`);
      return named;
    }
    const lost = nodes.filter((candidate) => !candidate.usable);
    const inUse = nodes.filter((candidate) => candidate.usable);
    const now = performance.now();
    for (const candidate of lost) {
      const { failure, restsUntil } = candidate.health;
      if (failure !== null && restsUntil <= now) void check(candidate);
    }
    const ofChain = [...inUse, ...lost.filter((candidate) => !candidate.health.excluded)];
    const others = ofChain.filter((candidate) => candidate.name !== avoid);
    return others.length > 0 ? others : ofChain;
  }

  return {
    nodes,
    candidates,
    check,
    /** From now on a returning node must give this answer to `eth_chainId`. */
    expectChainId: (chainId: number): void => {
      expectedChainId = chainId;
    },
    async close(): Promise<void> {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}

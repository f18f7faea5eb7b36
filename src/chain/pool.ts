import type { AskOptions, ChainOptions, NodeName } from "./chain.ts";
import { NodeError } from "./errors.ts";
import { createNode, type Node } from "./node.ts";
import { nodeName } from "./transport.ts";

/** The nodes of one chain, in order of preference. */
export interface NodePool {
  readonly nodes: readonly Node[];
  /** Throws `RangeError` for a name that is none of ours. */
  find(name: NodeName): Node;
  /** The nodes to ask, best first. Those in use come before those that failed, which are the last resort. */
  candidates(options: AskOptions): Node[];
  /** From now on a node that comes back is taken only with this answer to `eth_chainId`. */
  expectChainId(chainId: string): void;
  close(): Promise<void>;
}

export function createPool(options: ChainOptions): NodePool {
  const names = new Map<string, number>();
  const nodes = options.urls.map((url) => {
    const host = nodeName(url);
    const seen = (names.get(host) ?? 0) + 1;
    names.set(host, seen);
    return createNode(url, seen === 1 ? host : `${host}#${seen}`, options);
  });
  const inCheck = new Set<Node>();
  let expectedChainId: string | undefined;

  /** Brings a node that rested long enough back into use, if it has come back as the same chain. */
  async function check(node: Node): Promise<void> {
    inCheck.add(node);
    const call = { method: "eth_chainId", params: [] };
    const [outcome] = await node.call([call], options.signal);
    inCheck.delete(node);
    if (outcome === undefined || "error" in outcome || expectedChainId === undefined) return;
    if (outcome.result === expectedChainId) node.accept();
    else node.exclude(new NodeError("other-chain", `${node.name} serves another chain`));
  }

  function find(name: NodeName): Node {
    const node = nodes.find((candidate) => candidate.name === name);
    if (!node) throw new RangeError(`no node ${name}`);
    return node;
  }

  function candidates({ node, avoid }: AskOptions): Node[] {
    if (node !== undefined) return [find(node)];
    const lost = nodes.filter((candidate) => !candidate.usable);
    const inUse = nodes.filter((candidate) => candidate.usable);
    const now = performance.now();
    for (const candidate of lost) {
      if (inUse.length > 0 && candidate.restsUntil <= now && !inCheck.has(candidate))
        void check(candidate);
    }
    const ofChain = [...inUse, ...lost.filter((candidate) => !candidate.excluded)];
    const others = ofChain.filter((candidate) => candidate.name !== avoid);
    return others.length > 0 ? others : ofChain;
  }

  return {
    nodes,
    find,
    candidates,
    expectChainId: (chainId) => {
      expectedChainId = chainId;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
}

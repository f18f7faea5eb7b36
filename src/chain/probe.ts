import { isQuantity, quantityToNumber } from "../core/quantity.ts";
import type { AskOptions, ChainProbe } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { Features } from "./features.ts";
import { headerCall, headerOf } from "./headers.ts";
import type { Node } from "./node.ts";
import type { NodePool } from "./pool.ts";
import { type RpcClient, resultOf } from "./rpc-client.ts";

/** See `Chain.probe`. */
export async function probe(
  pool: NodePool,
  client: RpcClient,
  features: Features,
  options: AskOptions,
): Promise<ChainProbe> {
  const { node, chainId, genesisHash, clientVersion } = await client.onNode(
    options,
    async (node, ask) => {
      const [id, genesis] = await ask([CHAIN_ID, headerCall(0)]);
      const chainId = resultOf(id);
      if (!isQuantity(chainId)) throw new NodeError("bad-answer", `${node.name} has no chain id`);
      features.forget(node);
      const { clientVersion } = await features.learn(node);
      const first = resultOf(genesis) ?? resultOf((await ask([EARLIEST_BLOCK]))[0]);
      return { node, chainId, genesisHash: headerOf(first).hash, clientVersion };
    },
  );
  pool.expectChainId(chainId);
  await Promise.all(pool.nodes.filter((other) => other !== node).map(probeOther));

  /** What another node can do is worth knowing; that it does not answer now is not worth a failure. */
  async function probeOther(other: Node): Promise<void> {
    await pool.check(other);
    if (other.excluded) return;
    features.forget(other);
    try {
      await features.learn(other);
    } catch (thrown) {
      if (!(thrown instanceof NodeError)) throw thrown;
      // The capabilities say that they are not settled, and the node is asked again before blocks are taken from it.
    }
  }

  return {
    chainId: quantityToNumber(chainId),
    genesisHash,
    clientVersion,
    capabilities: features.capabilities(),
  };
}

const CHAIN_ID = { method: "eth_chainId", params: [] };

// Where a development chain begins above 0 there is no block 0.
const EARLIEST_BLOCK = { method: "eth_getBlockByNumber", params: ["earliest", false] };

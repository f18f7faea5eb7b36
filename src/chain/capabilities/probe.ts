import { getChainId } from "../../core/deep-imports.ts";
import { asUnanswered } from "../../core/errors.ts";
import { NodeError } from "../errors/errors.ts";
import type { ProbeOptions } from "../options.ts";
import type { ChainProbe } from "../questions.ts";
import type { Node } from "../rpc/node.ts";
import type { NodePool } from "../rpc/pool.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { Features } from "./features.ts";

/** See `Chain.probe`. */
export async function probe(
  pool: NodePool,
  client: RpcClient,
  features: Features,
  options: ProbeOptions,
): Promise<ChainProbe> {
  const { first, ...found } = await client.onNode(options, async (first, viem) => {
    const chainId = await getChainId(viem);
    const again = await getChainId(viem);
    // The database is bound to it for good; a wrong one ends the process.
    if (again !== chainId) {
      throw new NodeError("bad-answer", `${first.name} names two chains, ${chainId} and ${again}`);
    }
    if (options.chainId !== undefined && chainId !== options.chainId) {
      const served = `${first.name} serves chain ${chainId}, not chain ${options.chainId}`;
      throw new NodeError("other-chain", served);
    }
    features.forget(first);
    const { clientVersion } = await features.learn(first);
    return { first, chainId, clientVersion };
  });
  pool.expectChainId(found.chainId);
  await Promise.all(pool.nodes.filter((node) => node !== first).map(probeOther));
  return { ...found, capabilities: features.capabilities() };

  /** Probes another node; an unreachable one does not fail the probe. */
  async function probeOther(other: Node): Promise<void> {
    await pool.check(other);
    if (other.health.excluded) return;
    features.forget(other);
    // After a failure `settled` is false, and the node is probed again before it serves blocks.
    await features.learn(other).catch(asUnanswered);
  }
}

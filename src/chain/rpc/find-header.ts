import { BlockNotFoundError, getBlock } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { NodeError, nodeErrorIn, unwrapError } from "../errors/errors.ts";
import type { BlockHeader } from "../types.ts";
import type { NodeClient } from "./node-client.ts";

/** Returns the header of a block, by default of the newest; null when the node lacks the block. */
export async function findHeader(
  viem: NodeClient,
  numberOrHash?: number | Hex,
): Promise<BlockHeader | null> {
  try {
    const named =
      typeof numberOrHash === "number"
        ? { blockNumber: BigInt(numberOrHash) }
        : numberOrHash && { blockHash: numberOrHash };
    const block = await getBlock(viem, named);
    return {
      number: Number(block.number),
      hash: block.hash,
      parentHash: block.parentHash,
      timestampSeconds: Number(block.timestamp),
    };
  } catch (thrown) {
    if (thrown instanceof BlockNotFoundError) return null;
    const code = nodeErrorIn(thrown)?.code;
    if (code === "block-unknown" || code === "block-left-out") return null;
    throw unwrapError(thrown);
  }
}

/** Returns the newest block's header. Throws `NodeError`. */
export async function getHead(viem: NodeClient): Promise<BlockHeader> {
  const head = await findHeader(viem);
  if (!head) throw new NodeError("bad-answer", "the node has no newest block");
  return head;
}

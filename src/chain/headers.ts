import { type Hex, isHash } from "../core/hex.ts";
import { isQuantity, quantity, quantityToNumber } from "../core/quantity.ts";
import type { AskOptions, Head, RpcCall } from "./chain.ts";
import { NodeError } from "./errors.ts";
import { errorIn, type RpcClient, resultOf } from "./rpc-client.ts";
import type { BlockHeader } from "./types.ts";

/** Asks for the newest block, without its transactions. */
export const LATEST_BLOCK: RpcCall = { method: "eth_getBlockByNumber", params: ["latest", false] };

/** The call for a block by number or hash, without its transactions. */
export function headerCall(numberOrHash: number | Hex): RpcCall {
  return typeof numberOrHash === "number"
    ? { method: "eth_getBlockByNumber", params: [quantity(numberOrHash), false] }
    : { method: "eth_getBlockByHash", params: [numberOrHash, false] };
}

/** The header in a block answer or a `newHeads` notification. Throws `NodeError` when it is not whole. */
export function headerOf(answer: unknown): BlockHeader {
  const { number, hash, parentHash, timestamp } = (answer ?? {}) as Record<string, unknown>;
  if (!isQuantity(number) || !isQuantity(timestamp) || !isHash(hash) || !isHash(parentHash)) {
    throw new NodeError("bad-answer", "a block has no number, time, hash or parent");
  }
  return {
    number: quantityToNumber(number),
    hash,
    parentHash,
    timestampSeconds: quantityToNumber(timestamp),
  };
}

/** See `Chain.fetchHead`. */
export function fetchHead(client: RpcClient, options: AskOptions): Promise<Head> {
  return client.onNode(options, async (node, ask) => {
    const [outcome] = await ask([LATEST_BLOCK]);
    return { ...headerOf(resultOf(outcome)), node: node.name };
  });
}

/** See `Chain.fetchHeader`. */
export function fetchHeader(
  client: RpcClient,
  numberOrHash: number | Hex,
  options: AskOptions,
): Promise<BlockHeader | null> {
  return client.onNode(options, async (_node, ask) => {
    const [outcome] = await ask([headerCall(numberOrHash)]);
    if (errorIn(outcome)?.code === "block-unknown") return null;
    const answer = resultOf(outcome);
    return answer === null ? null : headerOf(answer);
  });
}

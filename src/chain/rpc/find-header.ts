import type { Hex } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { NodeError } from "../errors/errors.ts";
import { type Ask, errorIn, resultOf } from "../errors/outcomes.ts";
import { headerOf } from "../headers.ts";

/** Returns the header of a block, by default of the newest; null when the node lacks the block. Throws `NodeError`. */
export async function findHeader(ask: Ask, block: number | Hex | "latest" = "latest") {
  const isHash = typeof block === "string" && block !== "latest";
  const method = isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber";
  const named = typeof block === "number" ? quantity(block) : block;
  const [outcome] = await ask([{ method, params: [named, false] }]);
  const code = errorIn(outcome)?.code;
  if (code === "block-unknown" || code === "block-left-out") return null;
  const answer = resultOf(outcome);
  return answer === null ? null : headerOf(answer);
}

/** Returns the newest block's header. Throws `NodeError`. */
export async function getHead(ask: Ask) {
  const head = await findHeader(ask);
  if (!head) throw new NodeError("bad-answer", "the node has no newest block");
  return head;
}

import type { Chain } from "../chain/chain.ts";
import { asUnanswered, ChainError } from "../core/errors.ts";
import { isQuantity, quantityToNumber } from "../core/evm/quantity.ts";
import { isRecord } from "../core/json/record.ts";

/** Parts of blocks that `eth_capabilities` (execution-apis) has an oldest block for. */
const PARTS = ["blocks", "tx", "receipts", "logs"];

/** Returns whether the nodes no longer keep the blocks that were asked for (EIP-4444). */
export function isExpired(error: unknown): error is ChainError {
  return error instanceof ChainError && error.code === "history-expired";
}

/** Returns the remedy for expired history; it names the oldest block where a node does. */
export async function explainExpired(chain: Chain, error: ChainError): Promise<string> {
  const answer = await chain.request("eth_capabilities", []).catch(asUnanswered);
  const oldest = PARTS.flatMap((part) => {
    const known = isRecord(answer) ? answer[part] : null;
    const block = isRecord(known) ? known["oldestBlock"] : null;
    return isQuantity(block) ? [quantityToNumber(block)] : [];
  });
  const start = oldest.length === 0 ? "a later START_BLOCK" : `START_BLOCK=${Math.max(...oldest)}`;
  return `${error.message}: the nodes do not keep blocks so old; begin an empty database with ${start}, or name a node with the whole history in RPC_URL`;
}

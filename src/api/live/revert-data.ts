import type { Chain } from "../../chain/chain.ts";
import { NodeError } from "../../chain/errors.ts";
import { ChainError } from "../../core/errors.ts";
import { type Hex, isHexData, lowerHex } from "../../core/hex.ts";
import { quantity } from "../../core/quantity.ts";
import type { TransactionDetail } from "../../store/transactions.ts";

/**
 * What a failed transaction returned, by running its call again behind the block before it; `0x` for nothing. Undefined
 * when the node cannot tell, or the call does not fail there. Throws `ChainError` of code `block-replaced` when the node
 * has another block in that place.
 */
export async function fetchRevertData(
  chain: Chain,
  transaction: TransactionDetail,
): Promise<Hex | undefined> {
  const { from, to, gas, value, input, blockNumber, parentHash } = transaction;
  const message = { from, ...(to && { to }), gas: quantity(gas), value: quantity(value), input };
  const parent = Math.max(blockNumber - 1, 0);
  const data = await fetchFailure(chain, [message, quantity(parent)]);
  // By number, for nodes that know no state by hash: right only if that is the number of the block meant.
  const header = data === undefined ? null : await chain.fetchHeader(parent);
  if (header && header.hash !== parentHash) {
    throw new ChainError("block-replaced", `block ${parent} is another one by now`, {
      retryable: true,
    });
  }
  return data;
}

/** What a call fails with. */
async function fetchFailure(chain: Chain, parameters: unknown[]): Promise<Hex | undefined> {
  try {
    await chain.request("eth_call", parameters);
    return undefined;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (!(error instanceof NodeError)) return undefined;
    if (error.code === "out-of-gas") return "0x";
    if (error.code !== "reverted") return undefined;
    const data = error.answer?.data;
    return isHexData(data) ? lowerHex(data) : "0x";
  }
}

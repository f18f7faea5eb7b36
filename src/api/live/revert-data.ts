import type { Chain } from "../../chain/chain.ts";
import { NodeError } from "../../chain/errors.ts";
import { ChainError } from "../../core/errors.ts";
import { type Hex, isHexData, lowerHex } from "../../core/hex.ts";
import { quantity } from "../../core/quantity.ts";
import type { TransactionDetail } from "../../store/transactions.ts";

/**
 * What a failed transaction returned, by running its call again behind the block before it; `0x` for nothing. Undefined
 * when the node cannot tell, or the call does not fail there.
 */
export async function fetchRevertData(
  chain: Chain,
  transaction: TransactionDetail,
): Promise<Hex | undefined> {
  const { from, to, gas, value, input, blockNumber } = transaction;
  const message = { from, ...(to && { to }), gas: quantity(gas), value: quantity(value), input };
  try {
    await chain.request("eth_call", [message, quantity(Math.max(blockNumber - 1, 0))]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (!(error instanceof NodeError) || error.code !== "reverted") return undefined;
    const data = error.answer?.data;
    return isHexData(data) ? lowerHex(data) : "0x";
  }
}

import { call } from "viem/actions";
import { nodeErrorIn } from "../../../../chain/errors/errors.ts";
import { ChainError } from "../../../../core/errors.ts";
import { type Hex, isHexData, lowerHex } from "../../../../core/evm/hex.ts";
import type { TransactionDetail } from "../../../../store/lists/transactions.ts";
import type { Context } from "../../action.ts";

/** Runs a failed call again before its block and returns what it returned; undefined when unknown. Throws `ChainError`. */
export async function fetchRevertData(
  { chain }: Pick<Context, "chain">,
  transaction: TransactionDetail,
): Promise<Hex | undefined> {
  const { blockNumber, parentHash } = transaction;
  const parent = Math.max(blockNumber - 1, 0);
  const data = await fetchFailure(chain, transaction, parent);
  // The call names the block by number, since some nodes find no state by hash. So the block's hash is checked.
  const header = data === undefined ? null : await chain.fetchHeader(parent);
  if (header && header.hash !== parentHash) {
    throw new ChainError("block-replaced", `block ${parent} is another one by now`);
  }
  return data;
}

/** Returns the failure of the transaction's call on the state after a block. */
async function fetchFailure(
  chain: Context["chain"],
  { from, to, gas, value, input }: TransactionDetail,
  blockNumber: number,
): Promise<Hex | undefined> {
  try {
    await call(chain.viem(), {
      account: from,
      ...(to && { to }),
      gas: BigInt(gas),
      value: BigInt(value),
      data: input,
      blockNumber: BigInt(blockNumber),
    });
    return undefined;
  } catch (thrown) {
    const error = nodeErrorIn(thrown);
    if (!error) throw thrown;
    if (error.code === "out-of-gas") return "0x";
    if (error.code !== "reverted") return undefined;
    const data = error.answer?.data;
    return isHexData(data) ? lowerHex(data) : "0x";
  }
}

import { ZERO_ADDRESS } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { isQuantity, quantity } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import type { FetchedBlock, RawBlock } from "../types.ts";
import { withOddity } from "./oddity.ts";

/** 2^38 seconds are the year 10680; as milliseconds they are 1978. */
const LATEST_SECONDS = 2n ** 38n;

/** Returns the seconds of a block's time: Quorum with Raft counts nanoseconds, old Kaia milliseconds. */
export function inSeconds(timestamp: Hex): Hex {
  if (timestamp.length < 12 || !isQuantity(timestamp)) return timestamp;
  let seconds = BigInt(timestamp);
  while (seconds > LATEST_SECONDS) seconds /= 1000n;
  return quantity(seconds);
}

/**
 * Fills in a gas limit that the header lacks (Celo before its first gas limit) and a fee recipient (`author` in OpenEthereum's
 * answers), and reads its time in seconds.
 */
export function completeHeader(fetched: FetchedBlock): FetchedBlock {
  const block: RawBlock & { author?: Hex | null } = fetched.block;
  const timestamp = inSeconds(block.timestamp);
  const lacking = (["gasLimit", "miner"] as const).filter((name) => isNothing(block[name]));
  if (timestamp === block.timestamp && lacking.length === 0) return fetched;
  const gasLimit = block.gasLimit ?? "0x0";
  const miner = block.miner ?? block.author ?? ZERO_ADDRESS;
  const reason =
    lacking.length > 0
      ? `the header has no ${lacking.join(" and no ")}`
      : `the time ${block.timestamp} is finer than seconds`;
  return withOddity(
    { ...fetched, block: { ...block, timestamp, gasLimit, miner } },
    { kind: "odd-header", reason },
  );
}

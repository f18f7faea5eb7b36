import type { GasBlock } from "../../../store/blocks/gas-window.ts";
import type { GasPrices } from "./prices.ts";

const LONGEST_SECONDS = 86_400n;
/** Percentage of the gas limit above which a block counts as full. */
const FULL_PERCENT = 95n;

/** Estimates the seconds until this price is mined, at most a day, by the newest blocks. Source: docs/wire.md, "Gas". */
export function estimateSeconds(price: bigint, prices: GasPrices): bigint {
  const { blocks, nextBaseFee } = prices;
  const time = blockTime(prices);
  const taking = BigInt(blocks.filter((block) => wouldTake(block, price)).length);
  const base = nextBaseFee ?? 0n;
  if (price >= base && taking > 0n) {
    return bounded(ceilDivide(time.seconds * BigInt(blocks.length), time.blocks * taking));
  }
  let [lowered, offered, empty] = [base, price, 0n];
  while (lowered > offered) {
    // Compares base fee times (7/8)^k with the price, without fractions.
    lowered *= 7n;
    offered *= 8n;
    empty++;
    if ((empty + 1n) * time.seconds > LONGEST_SECONDS * time.blocks) break;
  }
  return bounded(ceilDivide((empty + 1n) * time.seconds, time.blocks));
}

/** Returns the mean time of a block as a fraction, a second at least. */
function blockTime({ pace }: GasPrices): { seconds: bigint; blocks: bigint } {
  const isSlower = pace.distances > 0 && pace.seconds > pace.distances;
  return isSlower
    ? { seconds: BigInt(pace.seconds), blocks: BigInt(pace.distances) }
    : { seconds: 1n, blocks: 1n };
}

function wouldTake(block: GasBlock, price: bigint): boolean {
  const { baseFeePerGas, gasLimit, gasUsed, lowestPrice } = block;
  if (price < BigInt(baseFeePerGas ?? 0)) return false;
  const isFull = BigInt(gasUsed) * 100n >= BigInt(gasLimit) * FULL_PERCENT;
  return !isFull || lowestPrice === null || price >= BigInt(lowestPrice);
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function bounded(seconds: bigint): bigint {
  return seconds > LONGEST_SECONDS ? LONGEST_SECONDS : seconds;
}

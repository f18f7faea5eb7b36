import { type CallerChain, forCaller } from "../../chain/caller-chain.ts";
import type { Chain } from "../../chain/chain.ts";
import { asUnanswered } from "../../core/errors.ts";
import { isQuantity, quantity, quantityToBigInt } from "../../core/evm/quantity.ts";
import { type BlockPace, getBlockPace } from "../../store/blocks/blocks.ts";
import { type GasBlock, type GasWindow, readGasWindow } from "../../store/blocks/gas-window.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import { NothingServed, type Read } from "../reading/snapshot.ts";
import { askOnce } from "./forwarding.ts";

/** EIP-1559: the base fee moves by an eighth at most, and stays the same after a half-full block. */
const ELASTICITY = 2n;
const MAXIMUM_CHANGE = 8n;
/** Blocks that the rule is checked on. */
const TRIED = 5;

/** Returns the base fee in wei of the next block, by the rule of EIP-1559. */
function nextBaseFee({ gasLimit, gasUsed, baseFeePerGas }: GasBlock): bigint {
  const base = BigInt(baseFeePerGas ?? 0);
  const target = BigInt(gasLimit) / ELASTICITY;
  const used = BigInt(gasUsed);
  if (target === 0n || used === target) return base;
  if (used > target) {
    const rise = (base * (used - target)) / target / MAXIMUM_CHANGE;
    return base + (rise > 0n ? rise : 1n);
  }
  return base - (base * (target - used)) / target / MAXIMUM_CHANGE;
}

/** Returns whether the rule reproduces the base fees of the last blocks from their parents: rollups have other constants. */
function reproducesBaseFees(blocks: readonly GasBlock[]): boolean {
  return blocks.slice(-TRIED).every((block) => {
    const parent = blocks[blocks.indexOf(block) - 1];
    if (!parent) return true;
    return parent.baseFeePerGas !== null && block.baseFeePerGas === String(nextBaseFee(parent));
  });
}

/** Error text for gas prices that neither the blocks nor the node provide. */
export const GAS_NOT_ESTIMATED = "Gas price is not estimated yet";

type Derived = Awaited<ReturnType<typeof derive>>;
/** Gas figures of the newest blocks; prices in wei. */
export type GasPrices = Derived["prices"];

/** Returns gas prices at the head of an answer, computed once per head; undefined before the first block. */
export type GasOracle = (context: { read: Read }) => Promise<GasPrices | undefined>;

/** The node's method for a tip, for blocks without paid tips. */
const TIP = "eth_maxPriorityFeePerGas";
/** Blocks whose transactions count. */
const WINDOW = 20;
/** Lifetime of prices that lack the node's part; a later request asks the node again. */
const KEPT_INCOMPLETE_MS = 1_000;

/** Creates the oracle of one chain; the node is asked for all clients together. Source: docs/wire.md, "Gas". */
export function createGasOracle(of: Chain): GasOracle {
  const chain = forCaller({ caller: "gas prices" }, of);
  let known: { key: string; derived: Promise<Derived>; until: number } | undefined;

  return async ({ read }) => {
    const state = await read(async (sql, served) => {
      const head = await served;
      const name = `${head.hash};${head.generation}`;
      if (known?.key === name && performance.now() < known.until) {
        return { key: name, kept: known.derived };
      }
      const [window, pace] = [await readGasWindow(sql, WINDOW), await getBlockPace(sql)];
      return { key: name, found: pace && { head, window, pace } };
    }).catch((error: unknown) => {
      if (error instanceof NothingServed) return undefined;
      throw error;
    });
    if (!state) return undefined;
    const { key, kept, found } = state;
    if (kept) return (await kept).prices;
    if (!found) return undefined;
    const entry = {
      key,
      derived: derive(chain, found.head, found.window, found.pace),
      until: Number.POSITIVE_INFINITY,
    };
    known = entry;
    try {
      const { prices, isComplete } = await entry.derived;
      if (!isComplete) entry.until = performance.now() + KEPT_INCOMPLETE_MS;
      return prices;
    } catch (error) {
      // A failure is not cached: the next request asks the node again.
      if (known === entry) known = undefined;
      throw error;
    }
  };
}

/** Returns gas figures of the newest blocks at a head; prices in wei. */
async function derive(
  chain: CallerChain,
  head: ServedHead,
  { blocks, tips }: GasWindow,
  pace: BlockPace,
) {
  const next = await findNextBaseFee(chain, head, blocks).catch(asUnanswered);
  const base = next === undefined ? BigInt(blocks.at(-1)?.baseFeePerGas ?? 0) : next;
  const tip = tips ? undefined : await askOnce(chain, TIP).catch(asUnanswered);
  // Without an answer the tip is unknown.
  const suggested = isQuantity(tip) ? quantityToBigInt(tip) : undefined;
  const price = (tip: string | undefined) => (base ?? 0n) + BigInt(tip ?? suggested ?? 0);
  return {
    prices: {
      head,
      /** The newest blocks, oldest first, at least one. */
      blocks,
      pace,
      /** Base fee of the block after the head; null on a chain without base fees. */
      nextBaseFee: base,
      safe: price(tips?.safe),
      proposed: price(tips?.proposed),
      fast: price(tips?.fast),
    },
    /** True if the node answered everything. */
    isComplete: next !== undefined && (tips !== null || suggested !== undefined),
  };
}

/** Returns the next base fee, by Ethereum's rule or from the node; null on a chain without one, undefined when unknown. */
async function findNextBaseFee(chain: CallerChain, head: ServedHead, blocks: readonly GasBlock[]) {
  const newest = blocks.at(-1);
  if (!newest || newest.baseFeePerGas === null) return null;
  if (reproducesBaseFees(blocks)) return nextBaseFee(newest);
  const { number, hash } = head;
  if ((await askNewestHash(chain)) !== hash) return undefined;
  const history = await askOnce(chain, "eth_feeHistory", "0x1", quantity(number), []);
  if ((await askNewestHash(chain)) !== hash) return undefined;
  const { baseFeePerGas } = (history ?? {}) as { baseFeePerGas?: unknown };
  const fee = Array.isArray(baseFeePerGas) ? baseFeePerGas.at(-1) : undefined;
  return isQuantity(fee) ? quantityToBigInt(fee) : undefined;
}

async function askNewestHash(chain: CallerChain): Promise<unknown> {
  const block = await askOnce(chain, "eth_getBlockByNumber", "latest", false);
  return ((block ?? {}) as { hash?: unknown }).hash;
}

const LONGEST_SECONDS = 86_400n;
/** Percentage of the gas limit above which a block counts as full. */
const FULL_PERCENT = 95n;

/** Estimates the seconds until this price is mined, at most a day, by the newest blocks. Source: docs/wire.md, "Gas". */
export function estimateSeconds(price: bigint, prices: GasPrices): bigint {
  const { blocks, nextBaseFee } = prices;
  const { pace } = prices;
  const isSlower = pace.distances > 0 && pace.seconds > pace.distances;
  const time = isSlower
    ? { seconds: BigInt(pace.seconds), blocks: BigInt(pace.distances) }
    : { seconds: 1n, blocks: 1n };
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

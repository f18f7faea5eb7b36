import type { Chain } from "../../chain/chain.ts";
import { isQuantity, quantity, quantityToBigInt } from "../../core/quantity.ts";
import { type BlockPace, getBlockPace } from "../../store/blocks.ts";
import { type GasBlock, type GasWindow, readGasWindow } from "../../store/gas-window.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { Context } from "../action.ts";
import { askOnce } from "../forwarding.ts";
import { NothingServed } from "../state.ts";
import { nextBaseFee, reproducesBaseFees } from "./base-fee.ts";

/** Error text for gas prices that neither the blocks nor the node tell. */
export const GAS_NOT_ESTIMATED = "Gas price is not estimated yet";

/** What the newest blocks say of gas at a head; prices in wei. */
export interface GasPrices {
  head: ServedHead;
  /** The newest blocks, oldest first, at least one. */
  blocks: readonly GasBlock[];
  pace: BlockPace;
  /** Of the block after the head; null on a chain without one. */
  nextBaseFee: bigint | null;
  safe: bigint;
  proposed: bigint;
  fast: bigint;
}

/** Gas prices at the head of an answer, computed once per head; undefined before the first block. */
export type GasOracle = (
  context: Pick<Context, "read" | "chain">,
) => Promise<GasPrices | undefined>;

/** Blocks whose transactions count. */
const WINDOW = 20;

/** Creates the oracle of one chain. Source: docs/wire.md, "Gas". */
export function createGasOracle(): GasOracle {
  let known: { key: string; prices: Promise<GasPrices> } | undefined;

  return async ({ read, chain }) => {
    const state = await read(async (sql, served) => {
      const head = await served;
      const name = `${head.hash};${head.generation}`;
      if (known?.key === name) return { key: name, kept: known.prices };
      const [window, pace] = [await readGasWindow(sql, WINDOW), await getBlockPace(sql)];
      return { key: name, found: pace && { head, window, pace } };
    }).catch((error: unknown) => {
      if (error instanceof NothingServed) return undefined;
      throw error;
    });
    if (!state) return undefined;
    const { key, kept, found } = state;
    if (kept) return kept;
    if (!found) return undefined;
    const prices = derive(chain, found.head, found.window, found.pace);
    known = { key, prices };
    // A failure is not kept: the next request asks the node again.
    prices.catch(() => {
      if (known?.prices === prices) known = undefined;
    });
    return prices;
  };
}

async function derive(
  chain: Chain,
  head: ServedHead,
  { blocks, tips }: GasWindow,
  pace: BlockPace,
): Promise<GasPrices> {
  const base = await findNextBaseFee(chain, head, blocks);
  const tipped = tips ?? (await askTip(chain));
  const price = (tip: string) => (base ?? 0n) + BigInt(tip);
  return {
    head,
    blocks,
    pace,
    nextBaseFee: base,
    safe: price(tipped.safe),
    proposed: price(tipped.proposed),
    fast: price(tipped.fast),
  };
}

/**
 * The next base fee: by Ethereum's rule where the chain follows it, else as the node tells it, else that of the head.
 */
async function findNextBaseFee(
  chain: Chain,
  head: ServedHead,
  blocks: readonly GasBlock[],
): Promise<bigint | null> {
  const newest = blocks.at(-1);
  if (!newest || newest.baseFeePerGas === null) return null;
  if (reproducesBaseFees(blocks)) return nextBaseFee(newest);
  return (await askNextBaseFee(chain, head)) ?? BigInt(newest.baseFeePerGas);
}

/**
 * What the node tells of the block after the head; undefined unless the head is the node's newest block before and after.
 * Of a number the node may have another block, and anvil tells of its newest block whichever is asked for.
 */
async function askNextBaseFee(
  chain: Chain,
  { number, hash }: ServedHead,
): Promise<bigint | undefined> {
  if ((await askNewestHash(chain)) !== hash) return undefined;
  const history = await askOnce(chain, "eth_feeHistory", "0x1", quantity(number), []);
  if ((await askNewestHash(chain)) !== hash) return undefined;
  const { baseFeePerGas } = (history ?? {}) as { baseFeePerGas?: unknown };
  const fee = Array.isArray(baseFeePerGas) ? baseFeePerGas.at(-1) : undefined;
  return isQuantity(fee) ? quantityToBigInt(fee) : undefined;
}

async function askNewestHash(chain: Chain): Promise<unknown> {
  const block = await askOnce(chain, "eth_getBlockByNumber", "latest", false);
  return ((block ?? {}) as { hash?: unknown }).hash;
}

/** The node's suggested tip, for blocks in which no transaction paid one. */
async function askTip(chain: Chain): Promise<NonNullable<GasWindow["tips"]>> {
  const suggested = await askOnce(chain, "eth_maxPriorityFeePerGas");
  const tip = isQuantity(suggested) ? quantityToBigInt(suggested).toString() : "0";
  return { safe: tip, proposed: tip, fast: tip };
}

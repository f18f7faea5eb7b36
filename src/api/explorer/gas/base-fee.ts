import type { GasBlock } from "../../../store/blocks/gas-window.ts";

/** EIP-1559: the base fee moves by an eighth at most, and stays the same after a half-full block. */
const ELASTICITY = 2n;
const MAXIMUM_CHANGE = 8n;
/** Blocks that the rule is checked on. */
const TRIED = 5;

/** Returns the base fee in wei of the next block, by the rule of EIP-1559. */
export function nextBaseFee({ gasLimit, gasUsed, baseFeePerGas }: GasBlock): bigint {
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
export function reproducesBaseFees(blocks: readonly GasBlock[]): boolean {
  return blocks.slice(-TRIED).every((block) => {
    const parent = blocks[blocks.indexOf(block) - 1];
    if (!parent) return true;
    return parent.baseFeePerGas !== null && block.baseFeePerGas === String(nextBaseFee(parent));
  });
}

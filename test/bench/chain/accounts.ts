import type { Address } from "../../../src/core/evm/address.ts";
import type { Random } from "../../support/world/random.ts";
import { randomBytes, skewed } from "./draws.ts";
import type { ChainShape } from "./shape.ts";

/** The accounts of the chain by their rank: the lower, the busier. */
export interface Accounts {
  readonly count: number;
  draw(): number;
  address(rank: number): Address;
  /** Returns undefined for an address without account. */
  rankOf(address: Address): number | undefined;
}

export function createAccounts(shape: ChainShape, random: Random): Accounts {
  const addresses = Array.from({ length: shape.accounts }, () => randomBytes(random, 20));
  const ranks = new Map(addresses.map((address, rank) => [address, rank]));
  return {
    count: addresses.length,
    draw: () => (random.chance(shape.hotShare) ? 0 : skewed(random, addresses.length)),
    address: (rank) => addresses[rank] as Address,
    rankOf: (address) => ranks.get(address),
  };
}

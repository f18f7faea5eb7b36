import type { FetchedBlock, Oddity } from "../types.ts";

/** Returns the block with one more oddity. */
export function withOddity(fetched: FetchedBlock, oddity: Oddity): FetchedBlock {
  return { ...fetched, oddities: [...(fetched.oddities ?? []), oddity] };
}

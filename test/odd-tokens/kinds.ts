import type { OddChain } from "./chain.ts";
import { changingKinds } from "./changing-kinds.ts";
import { collectibleKinds } from "./collectible-kinds.ts";
import { fungibleKinds } from "./fungible-kinds.ts";
import type { Draws, Kind } from "./kind.ts";

/** Deploys every kind, and gives the first four holders some of each, those that can be given. */
export async function deployKinds(chain: OddChain): Promise<{ kinds: Kind[]; draws: Draws }> {
  const { random, holders } = chain;
  const router = await chain.deploy("Router");
  const draws: Draws = {
    chain,
    router,
    who: () => random.pick([...holders, ...holders, router]),
    amount: () =>
      random.pick([1n, 7n, 100n, 10n ** 6n, 10n ** 18n]) * BigInt(1 + random.integer(9)),
    few: () => 1 + random.integer(4),
    coin: () => random.chance(0.5),
  };
  const kinds = [
    ...(await fungibleKinds(draws)),
    ...(await collectibleKinds(draws)),
    ...(await changingKinds(draws)),
  ];
  return { kinds, draws };
}

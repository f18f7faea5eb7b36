import type { Action } from "./action.ts";
import { ethBlockNumber } from "./modules/block/eth_block_number.ts";
import { getblockcountdown } from "./modules/block/getblockcountdown.ts";
import { getblocknobytime } from "./modules/block/getblocknobytime.ts";
import { getblockreward } from "./modules/block/getblockreward.ts";
import { getblocktxnscount } from "./modules/block/getblocktxnscount.ts";

/** Every action of the API by its module, in the order of the documentation. */
export const registry: Readonly<Record<string, readonly Action[]>> = {
  block: [ethBlockNumber, getblockreward, getblockcountdown, getblocknobytime, getblocktxnscount],
};

const byName = new Map(
  Object.entries(registry).map(([module, actions]) => [
    module,
    new Map(actions.map((action) => [action.name.toLowerCase(), action])),
  ]),
);

/** Actions of a module by their lower-case names; undefined for an unknown module. `module` in any letter case. */
export function actionsOf(module: string): ReadonlyMap<string, Action> | undefined {
  return byName.get(module.toLowerCase());
}

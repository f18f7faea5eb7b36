import type { Action } from "./action.ts";
import { ethBlockNumber } from "./modules/block/eth_block_number.ts";

/** Every action of the API by its module, in the order of the documentation. */
export const registry: Readonly<Record<string, readonly Action[]>> = {
  block: [ethBlockNumber],
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

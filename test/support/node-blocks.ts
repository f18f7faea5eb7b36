import type { World } from "./build.ts";
import type { ScriptedChain } from "./scripted-node/chain.ts";

/** The blocks of a scripted chain for `publish`, so that the index has the node's hashes. */
export function nodeBlocks(chain: ScriptedChain): NonNullable<World["blocks"]> {
  return Array.from({ length: chain.height + 1 }, (_, number) => {
    const { hash, parentHash } = chain.at(number)?.block ?? chain.head.block;
    return { number, hash, parentHash };
  });
}

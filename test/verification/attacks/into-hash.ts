import { hexConcat } from "../../../src/core/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

/** The program with code in the place of the hash of its metadata (of a swarm's form), where it can be made to run. */
export function codeInOldHash(title: string, program: Program): Attack {
  return {
    title,
    attack: async (world) => {
      const { runtime } = await world.compile(program);
      const planted = metadataOf(`65${text("bzzr0")}5820${"5b33ff".padEnd(64, "0")}`, 1);
      const code = hexConcat(withoutMetadata(runtime), planted);
      return world.verify(program, await world.predeploy(code));
    },
    honest: async (world) => {
      const { creation } = await world.compile(program);
      return world.verify(program, await world.deploy(`0x${creation}`));
    },
    reason: /could be made to run it/,
  };
}

import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { metadataOf, replace, text, withoutMetadata } from "./attack-world.ts";

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

/**
 * Both programs with code in the place of the hash of their metadata, as after a change of a comment alone: the hostile one
 * can be made to run it.
 */
export function codeInHash(title: string, programs: { hostile: Program; honest: Program }): Attack {
  const verify = async (world: AttackWorld, program: Program) => {
    const { creation, runtime } = await world.compile(program);
    const planted = replace(creation, runtime.slice(-86, -22), "5b33ff".padEnd(64, "0"));
    return world.verify(program, await world.deploy(planted));
  };
  return {
    title,
    attack: (world) => verify(world, programs.hostile),
    honest: (world) => verify(world, programs.honest),
    reaches: "partial",
    reason: /could be made to run it/,
  };
}

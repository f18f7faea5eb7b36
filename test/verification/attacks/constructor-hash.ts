import type { Attack, Program } from "./attack.ts";
import { metadataWith, replace, word } from "./attack-world.ts";
import { jumpingMaker, MINT } from "./jumping-constructor.ts";

const program = jumpingMaker({ makesChild: true });
const child: Program = { ...program, contract: "Maker.sol:Child" };
const METADATA_DIGITS = metadataWith("").length - 2;
/** Where the hash begins in the metadata. */
const HASH_OFFSET = 10;

/**
 * A constructor runs 32 bytes of the metadata of a contract that it makes, which stand in the creation code alone; `behind`
 * follows its argument.
 */
export function codeInHashOfConstructor(title: string, behind = ""): Attack {
  return {
    title,
    attack: async (world) => {
      const { creation } = await world.compile(program);
      const { runtime } = await world.compile(child);
      const metadata = runtime.slice(-METADATA_DIGITS);
      const code = replace(creation, metadata, metadataWith(MINT).slice(2));
      const place = creation.indexOf(metadata) / 2 + HASH_OFFSET;
      const argument = word(BigInt(place) << 32n);
      return world.verify(program, await world.deploy(`${code}${argument}${behind}`));
    },
    honest: async (world) => {
      const { creation } = await world.compile(program);
      return world.verify(program, await world.deploy(`0x${creation}${word(0)}${behind}`));
    },
    reason: /could be made to run it/,
  };
}

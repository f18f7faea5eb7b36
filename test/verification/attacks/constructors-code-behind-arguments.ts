import { expect } from "vitest";
import type { Attack } from "./attack.ts";
import { word } from "./attack-world.ts";
import { jumpingMaker, MINT } from "./jumping-constructor.ts";

const program = jumpingMaker({ makesChild: false });
const WORD_BYTES = 32;
const REASON = /could be made to run it/;

const attack: Attack = {
  title: "a constructor runs what follows its arguments, whether or not the request names it",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const place = word(BigInt(creation.length / 2 + WORD_BYTES) << 32n);
    const standing = await world.deploy(`0x${creation}${place}${MINT}`);
    expect(await world.verify(program, standing, { arguments: `${place}${MINT}` })).toMatchObject({
      level: "none",
      reason: expect.stringMatching(REASON),
    });
    return world.verify(program, standing);
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(0)}beef`));
  },
  reason: REASON,
};

export default attack;

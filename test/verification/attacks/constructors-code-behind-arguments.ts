import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Maker.sol": `pragma solidity 0.8.28;
contract Maker {
    uint256 public supply;
    constructor(uint256 place) {
        function() internal next = step;
        if (place != 0) assembly { next := place }
        next();
    }
    function step() internal {}
}`,
  },
  contract: "Maker.sol:Maker",
};
/** JUMPDEST, 1000 into slot 0, and back. */
const MINT = "5b6103e85f5556";
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

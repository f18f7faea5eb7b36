import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataWith, replace, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Caller.sol": `pragma solidity 0.8.28;
contract Caller {
    function() internal immutable next;
    uint256 public count;
    constructor(uint256 place) {
        function() internal chosen = step;
        if (place > 0) assembly { chosen := place }
        next = chosen;
    }
    function step() internal { count += 1; }
    function run() external { next(); }
}`,
  },
  contract: "Caller.sol:Caller",
};

const attack: Attack = {
  title:
    "the constructor of the source itself is told to keep a function that stands in the metadata",
  attack: async (world) => {
    const { creation, runtime } = await world.compile(program);
    const code = replace(creation, runtime.slice(-106), metadataWith("5b33ff").slice(2));
    const init: Hex = `${code}${word(runtime.length / 2 - 53 + 10)}`;
    return world.verify(program, await world.deploy(init));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(0)}`));
  },
  reason: /no value of function|could be made to run it/,
};

export default attack;

import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataWith, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Caller.sol": `pragma solidity 0.8.28;
contract Caller {
    function() internal next;
    uint256 public count;
    constructor() { next = step; }
    function step() internal { count += 1; }
    function choose(uint256 place) external { assembly { sstore(next.slot, place) } }
    function run() external { next(); }
}`,
  },
  contract: "Caller.sol:Caller",
};

const attack: Attack = {
  title: "a function kept in storage can be set to the 32 bytes of a hash that nobody vouches for",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const code = hexConcat(withoutMetadata(runtime), metadataWith("5b33ff"));
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /could be made to run it/,
};

export default attack;

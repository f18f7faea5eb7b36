import type { Attack, Program } from "./attack.ts";
import { fill, metadataWith, replace, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Caller.sol": `pragma solidity 0.8.28;
contract Caller {
    function() internal immutable next;
    uint256 public count;
    bytes constant NOTE = hex"5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff5b33ff";
    constructor() { next = step; }
    function step() internal { count += 1; }
    function run() external { next(); }
    function note() external pure returns (bytes memory) { return NOTE; }
    function number() external pure returns (uint256) { return 0x5b33ff5b33ff5b33ff; }
}`,
  },
  contract: "Caller.sol:Caller",
};

const attack: Attack = {
  title: "a function kept in an immutable stands in the 32 bytes of a metadata hash",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const place = runtime.length / 2 - 53 + 10;
    const code = fill(runtime, immutables, word(place));
    const hidden = replace(code, runtime.slice(-106), metadataWith("5b33ff").slice(2));
    return world.verify(program, await world.predeploy(hidden));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /no value of function/,
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  compiler: "0.8.7",
  sources: {
    "Values.sol": `pragma solidity 0.8.7;
contract Values {
    int64 public immutable value;
    constructor() { value = -5; }
}`,
  },
  contract: "Values.sol:Values",
};

const attack: Attack = {
  title:
    "solc before 0.8.9 wrote no signs in front of negative immutables: more than the bits of the type is impossible all the same",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const code = fill(runtime, immutables, word(1n << 64n));
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /no value of int64/,
};

export default attack;

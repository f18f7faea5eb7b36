import type { Attack, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  settings: { viaIR: true },
  sources: {
    "User.sol": `pragma solidity 0.8.28;
library Maths {
    function twice(uint256 value) external returns (uint256) { assembly { sstore(0, value) } return 2 * value; }
    function thrice(uint256 value) external pure returns (uint256) { return 3 * value; }
}
`,
  },
  contract: "User.sol:Maths",
};

const attack: Attack = {
  title: "the same, compiled by way of the IR, where the address is an immutable",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    return world.verify(program, await world.predeploy(fill(runtime, immutables, word(0xbad))));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /another address than its own/,
};

export default attack;

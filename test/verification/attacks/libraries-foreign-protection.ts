import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

const program: Program = {
  sources: {
    "User.sol": `pragma solidity 0.8.28;
library Maths {
    function twice(uint256 value) external pure returns (uint256) { return 2 * value; }
    function thrice(uint256 value) external pure returns (uint256) { return 3 * value; }
}
contract User {
    function six(uint256 value) external pure returns (uint256) { return Maths.thrice(Maths.twice(value)); }
}`,
  },
  contract: "User.sol:Maths",
};

const attack: Attack = {
  title: "a library believes to stand at another address, so that it may be called directly",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(
      program,
      await world.predeploy(replace(runtime, "73".padEnd(42, "0"), `73${"66".repeat(20)}`)),
    );
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /another address than its own/,
};

export default attack;

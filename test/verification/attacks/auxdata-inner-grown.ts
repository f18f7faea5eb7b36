import type { Attack, Program } from "./attack.ts";
import { overwrite } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Maker.sol": `pragma solidity 0.8.28;
contract Child {
    uint256 public mark;
}
contract Maker {
    function make() external returns (Child) { return new Child(); }
}`,
  },
  contract: "Maker.sol:Maker",
};

const attack: Attack = {
  title:
    "the metadata of a created contract, in the middle of the code, holds something else than a hash",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const marks = [...runtime.matchAll(/64736f6c634300081c0033/g)].map(({ index }) => index);
    const inner = (marks[0] ?? 0) - 80;
    const code = overwrite(`0x${runtime}`, inner / 2, `0x64636f6465${"5b".repeat(35)}`);
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
};

export default attack;

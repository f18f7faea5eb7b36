import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Maker.sol": `pragma solidity 0.8.28;
contract Child {
    address public payee = address(0xAAbbCCDdeEFf00112233445566778899aABBcCDd);
}
contract Maker {
    function make() external returns (Child) { return new Child(); }
}`,
  },
  contract: "Maker.sol:Maker",
};

const attack: Attack = {
  title:
    "a factory creates another contract than that of the source, whose metadata stands in the middle of its code",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const code = replace(runtime, "aabbccddeeff00112233", "66666666666666666666");
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
};

export default attack;

import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Note.sol": `pragma solidity 0.8.28;
contract Note {
    uint256 public mark;
    function set(uint256 value) external { mark = value; }
}`,
  },
  contract: "Note.sol:Note",
};
const large: Program = {
  ...program,
  sources: { "Note.sol": `${program.sources["Note.sol"]}//${"x".repeat(5_000_000)}` },
};

const attack: Attack = {
  title: "more than 5 MB of sources",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(large, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /larger than 5 MB/,
};

export default attack;

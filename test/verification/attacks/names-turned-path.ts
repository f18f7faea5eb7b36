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
const turned: Program = {
  ...program,
  sources: { "Note\u202elos.sol": program.sources["Note.sol"] ?? "" },
  contract: "Note\u202elos.sol:Note",
};

const attack: Attack = {
  title: "a path turns the direction of what follows it",
  attack: async (world) => {
    const { creation } = await world.compile(turned);
    return world.verify(turned, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /not printable/,
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Note.sol": `pragma solidity 0.8.28;
contract Note {
    uint256 public immutable mark;
    constructor(uint256 rounds) { uint256 sum; for (uint256 i; i < rounds; i++) sum += i; mark = 7; }
}`,
  },
  contract: "Note.sol:Note",
};
const other: Program = {
  ...program,
  sources: {
    "Note.sol": (program.sources["Note.sol"] ?? "").replace(/for .*; mark = 7/, "mark = 8"),
  },
};

const attack: Attack = {
  title: "the constructor of the source would keep the node busy until its gas is gone",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}${word((1n << 255n) - 1n)}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(3)}`));
  },
  reason: /Another constructor ran.*It failed/,
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  settings: { optimizer: { enabled: true, runs: Number.MAX_SAFE_INTEGER } },
  sources: {
    "Note.sol": `pragma solidity 0.8.28;
contract Note {
    uint256 public mark;
    function set(uint256 value) external { mark = value; }
}`,
  },
  contract: "Note.sol:Note",
};
const endless: Program = {
  ...program,
  settings: { optimizer: { enabled: true, runs: 2 ** 63 } },
};

const attack: Attack = {
  title: "more optimizer runs than the database can hold",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(endless, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /runs are not a whole number/,
  check: (_attacked, { source }) => {
    // As the compiler takes them.
    expect(source?.optimizerRuns).toBe(2 ** 32 - 1);
  },
};

export default attack;

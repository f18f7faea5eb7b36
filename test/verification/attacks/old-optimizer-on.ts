import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  compiler: "0.4.26",
  settings: { optimizer: { enabled: true, runs: 200 } },
  sources: {
    "Note.sol": `pragma solidity ^0.4.0;
contract Note { uint256 public mark; function set(uint256 value) external { mark = value; } }`,
  },
  contract: "Note.sol:Note",
};
/** No boolean, which old compilers take for one. */
const disguised: Program = { ...program, settings: { optimizer: { enabled: 1, runs: 200 } } };

const attack: Attack = {
  title: "the optimizer is on, and shown as if it were off",
  attack: async (world) => {
    const { creation } = await world.compile(disguised);
    return world.verify(disguised, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (attacked) => {
    expect(attacked.source).toMatchObject({ optimizerEnabled: true, optimizerRuns: 200 });
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  compiler: "0.4.11",
  settings: { optimizer: { enabled: true, runs: 200 } },
  sources: { "Note.sol": "pragma solidity ^0.4.0; contract Note { uint256 public mark; }" },
  contract: "Note.sol:Note",
};
/** The compiler takes no notice of any of these. */
const adorned: Program = {
  ...program,
  settings: {
    optimizer: { enabled: true, runs: 200, details: { yul: true } },
    metadata: { bytecodeHash: "ipfs" },
    evmVersion: "osaka",
    viaIR: true,
    audit: "passed",
  },
};

const attack: Attack = {
  title: "settings that the compiler ignores are shown as if they had made the code",
  attack: async (world) => {
    const { creation } = await world.compile(adorned);
    return world.verify(adorned, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: ({ source: shown }) => {
    expect(shown).toMatchObject({ evmVersion: null });
    expect(shown?.settings).toEqual({ ...program.settings, metadata: {} });
  },
};

export default attack;

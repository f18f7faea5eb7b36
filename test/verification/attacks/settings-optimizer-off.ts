import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const details = {
  constantOptimizer: true,
  cse: true,
  deduplicate: true,
  inliner: true,
  jumpdestRemover: true,
  orderLiterals: true,
  peephole: false,
  yul: true,
};

function program(enabled: boolean): Program {
  return {
    sources: { "Shop.sol": "pragma solidity 0.8.28;\ncontract Shop { uint256 public fee = 1; }" },
    settings: { optimizer: { enabled, details } },
    contract: "Shop.sol:Shop",
  };
}

const attack: Attack = {
  title: "the optimizer is told to be off, and its details one by one to be on",
  attack: async (world) => {
    const { creation } = await world.compile(program(true));
    return world.verify(program(false), await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program(true));
    return world.verify(program(true), await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  check: (attacked, honest) => {
    expect(attacked.source?.optimizerEnabled).toBe(true);
    expect(honest.source?.optimizerEnabled).toBe(true);
  },
};

export default attack;

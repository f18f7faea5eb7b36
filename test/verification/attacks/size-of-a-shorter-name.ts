import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Spam.sol": `pragma solidity 0.8.28;\ncontract Spam { function transfer(address to, uint256 ${"a".repeat(100_000)}) external {} }`,
  },
  contract: "Spam.sol:Spam",
};
const plain: Program = {
  ...program,
  sources: { "Spam.sol": (program.sources["Spam.sol"] ?? "").replace(/a{100,}/, "amount") },
};

const attack: Attack = {
  title: "the name of a parameter is cut where it stands beside calls",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    return world.verify(plain, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  check: ({ source }) => {
    expect(source?.methods["a9059cbb"]).toHaveLength(1000);
  },
};

export default attack;

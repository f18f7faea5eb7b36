import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Spam.sol": `pragma solidity 0.8.28;\ncontract Spam { function transfer(address to, uint256 ${"a".repeat(2_400_000)}) external {} }`,
  },
  contract: "Spam.sol:Spam",
};
const plain: Program = {
  ...program,
  sources: { "Spam.sol": (program.sources["Spam.sol"] ?? "").replace(/a{100,}/, "amount") },
};

const attack: Attack = {
  title: "the name of a parameter is a book that others would be served",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    return world.verify(plain, await world.deploy(`0x${creation}`));
  },
  reason: /MB of ABI/,
  check: (_attacked, { source }) => {
    expect(source?.methods).toEqual({ a9059cbb: "transfer(address to, uint256 amount)" });
  },
};

export default attack;

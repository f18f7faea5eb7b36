import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: { "Shop.sol": "pragma solidity 0.8.28;\ncontract Shop { uint256 public fee = 1; }" },
  contract: "Shop.sol:Shop",
};

const attack: Attack = {
  title:
    "the request names other data than what is behind the code of a contract without a constructor",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const standing = await world.deploy(`0x${creation}${word(1)}`);
    return world.verify(program, standing, { arguments: word(2) });
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    const standing = await world.deploy(`0x${creation}${word(1)}`);
    return world.verify(program, standing, { arguments: word(1) });
  },
  reason: /The creation code ends in others than the request names/,
  check: (_, { source }) => {
    expect(source).toMatchObject({ creationMatch: null, constructorArguments: null });
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    address public owner;
    uint256 public limit;
    constructor(address owner_, uint256 limit_) { owner = owner_; limit = limit_; }
}`,
  },
  contract: "Vault.sol:Vault",
};

const attack: Attack = {
  title: "bytes behind the arguments are not shown as arguments",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(7)}${word(1)}5b33ff`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(7)}${word(1)}`));
  },
  atMost: "full",
  check: ({ source }, honest) => {
    expect(source).toMatchObject({ creationMatch: null, constructorArguments: null });
    expect(honest.source?.constructorArguments).toBe(`0x${word(7)}${word(1)}`);
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.26",
  sources: {
    "Vault.sol": `pragma solidity 0.4.26;
contract Vault {
    address public owner;
    uint256 public limit;
    constructor(address owner_, uint256 limit_) public { owner = owner_; limit = limit_; }
}`,
  },
  contract: "Vault.sol:Vault",
};

const attack: Attack = {
  title: "an old constructor takes an address with more in its word than an address has",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${"ff".repeat(32)}${word(1)}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(7)}${word(1)}`));
  },
  atMost: "full",
  check: ({ source }) => {
    expect(source).toMatchObject({ creationMatch: null, constructorArguments: null });
  },
};

export default attack;

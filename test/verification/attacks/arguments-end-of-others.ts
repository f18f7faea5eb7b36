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
  title: "the request names only the end of the constructor arguments on chain",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const standing = await world.deploy(`0x${creation}${word(0xbad)}${word(1)}`);
    return world.verify(program, standing, { arguments: word(1) });
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    const standing = await world.deploy(`0x${creation}${word(0xbeef)}${word(1)}`);
    return world.verify(program, standing);
  },
  check: (_attacked, { source }) => {
    expect(source?.constructorArguments).toBe(`0x${word(0xbeef)}${word(1)}`);
  },
};

export default attack;

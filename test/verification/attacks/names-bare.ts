import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "good/Vault.sol": `pragma solidity 0.8.28;
contract Vault { function owner() external pure returns (address) { return address(1); } }`,
    "bad/Vault.sol": `pragma solidity 0.8.28;
contract Vault { function owner() external pure returns (address) { return address(2); } }`,
  },
  contract: "good/Vault.sol:Vault",
};
/** Sent without a path. */
const bare: Program = { ...program, contract: "Vault" };
const bad: Program = { ...program, contract: "bad/Vault.sol:Vault" };

const attack: Attack = {
  title: "a bare name means two contracts: what is shown is the one that stands there",
  attack: async (world) => {
    const { creation } = await world.compile(bad);
    return world.verify(bare, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(bare, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  check: (attacked, honest) => {
    expect(attacked.source?.filePath).toBe("bad/Vault.sol");
    expect(honest.source?.filePath).toBe("good/Vault.sol");
  },
};

export default attack;

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
const bad: Program = { ...program, contract: "bad/Vault.sol:Vault" };

const attack: Attack = {
  title: "another contract of the same name stands beside it",
  attack: async (world) => {
    const { creation } = await world.compile(bad);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
};

export default attack;

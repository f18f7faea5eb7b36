import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    uint256 public total;
    constructor() {
        if (block.timestamp > 1 && block.coinbase != address(1)) assembly { mstore(0, shl(240, 0x33ff)) return(0, 2) }
    }
}`,
  },
  contract: "Vault.sol:Vault",
};
const plain: Program = {
  ...program,
  sources: { "Vault.sol": (program.sources["Vault.sol"] ?? "").replace("> 1 &&", "< 1 &&") },
};

const attack: Attack = {
  title: "the constructor returns other code after some time",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    return world.verify(plain, await world.deploy(`0x${creation}`));
  },
  atMost: "partial",
  check: ({ proof }) => {
    expect(proof?.runtimeCode).toBe("foreign");
  },
};

export default attack;

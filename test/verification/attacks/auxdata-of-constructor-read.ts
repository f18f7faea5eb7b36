import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { metadataWith, replace } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Bank.sol": `pragma solidity 0.8.28;
contract Child {
    uint256 public mark = 7;
}
contract Bank {
    address public payee;
    constructor() {
        bytes memory code = type(Child).creationCode;
        assembly { sstore(payee.slot, shr(96, mload(add(code, sub(mload(code), 13))))) }
    }
}`,
  },
  contract: "Bank.sol:Bank",
};

const attack: Attack = {
  title: "a constructor reads the metadata of another contract, which is other on chain",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const child = await world.compile({ ...program, contract: "Bank.sol:Child" });
    const metadata = child.runtime.slice(2 - metadataWith("").length);
    const other = replace(creation, metadata, metadataWith("66".repeat(32)).slice(2));
    return world.verify(program, await world.deploy(other));
  },
  atMost: "partial",
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (attacked) => expect(attacked.reason).toBe(""),
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const METADATA_DIGITS = 106;
/** Where the hash begins in the metadata. */
const HASH_OFFSET = 20;

const CHILD = `pragma solidity 0.8.28;
contract Child {
    uint256 public mark = 7;
}`;

/** A constructor with a long text, which the compiler puts at the very end of the creation code; it ends in `seal`. */
function bank(seal: string): Program {
  const source = `pragma solidity 0.8.28;
import "./Child.sol";
contract Bank {
    address public payee;
    Child public child;
    constructor() {
        bytes memory text = hex"${"77".repeat(100)}${seal}";
        assembly { sstore(payee.slot, shr(96, mload(add(text, 143)))) }
    }
    function make() external { child = new Child(); }
}`;
  return { sources: { "Bank.sol": source, "Child.sol": CHILD }, contract: "Bank.sol:Bank" };
}

const attack: Attack = {
  title:
    "a constructor reads its own data, which ends in the metadata of a contract that is created later, and on chain in other",
  attack: async (world) => {
    const made = await world.compile({ ...bank(""), contract: "Child.sol:Child" });
    const seal = made.runtime.slice(-METADATA_DIGITS);
    const program = bank(seal);
    const { creation } = await world.compile(program);
    expect(creation.endsWith(seal)).toBe(true);
    const end = seal.slice(HASH_OFFSET + 64);
    const start = creation.length - end.length - 64;
    const other = `0x${creation.slice(0, start)}${"66".repeat(32)}${end}` as const;
    return world.verify(program, await world.deploy(other));
  },
  atMost: "partial",
  honest: async (world) => {
    const program = bank("");
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: ({ proof, source }) => {
    expect(source?.creationMatch).toBeNull();
    // Another constructor ran, which left the same code.
    expect(proof).toMatchObject({ construction: "run" });
  },
};

export default attack;

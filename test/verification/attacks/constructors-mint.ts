import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Coin.sol": `pragma solidity 0.8.28;
contract Coin {
    mapping(address => uint256) public balanceOf;
    constructor() { balanceOf[msg.sender] = 1000; }
}`,
  },
  contract: "Coin.sol:Coin",
};
/** The program with another text in one place, as it was deployed. */
const other: Program = {
  ...program,
  sources: { "Coin.sol": (program.sources["Coin.sol"] ?? "").replace("= 1000", "= 1000000") },
};

const attack: Attack = {
  title: "the source mints 1000, the constructor that ran minted a million",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  atMost: "partial",
  check: ({ proof }, honest) => {
    expect(proof).toMatchObject({ construction: "run", immutables: null });
    expect(honest.proof?.construction).toBe("compared");
  },
};

export default attack;

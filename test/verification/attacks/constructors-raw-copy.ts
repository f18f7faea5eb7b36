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

const attack: Attack = {
  title: "the constructor never ran: the code was copied to its place",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.put(`0x${runtime}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  atMost: "partial",
  check: ({ proof }) => {
    expect(proof?.construction).toBe("run");
  },
};

export default attack;

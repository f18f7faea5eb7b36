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
  title: "nothing created the contract: what its constructor wrote is not known, and that is told",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${runtime}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  check: ({ proof, source }) => {
    expect(source).toMatchObject({ creationMatch: null, constructorArguments: null });
    expect(proof).toMatchObject({ construction: "unknown", run: null });
  },
};

export default attack;

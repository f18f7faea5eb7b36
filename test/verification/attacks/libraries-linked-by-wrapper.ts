import { expect } from "vitest";
import { addressAt } from "../../support/build.ts";
import type { Attack, Program } from "./attack.ts";

const [good, bad] = [addressAt(0xbeef), addressAt(0xbad)];
const program: Program = {
  compiler: "0.4.8",
  settings: { libraries: { "User.sol": { Maths: good } } },
  sources: {
    "User.sol": `pragma solidity ^0.4.0;
library Maths { function twice(uint256 value) returns (uint256) { return 2 * value; } }
contract User { function four(uint256 value) returns (uint256) { return 2 * Maths.twice(value); } }`,
  },
  contract: "User.sol:User",
};
const overruled: Program = {
  ...program,
  settings: { libraries: { "": { Maths: good }, "User.sol": { Maths: bad } } },
};

const attack: Attack = {
  title: "with a compiler that knows no files, the last library of a name is linked",
  attack: async (world) => {
    const { creation } = await world.compile(overruled);
    return world.verify(overruled, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (attacked, honest) => {
    expect(attacked.source?.libraries).toEqual([{ name: "Maths", address: bad }]);
    expect(attacked.proof?.libraries).toEqual([{ name: ":Maths", address: bad }]);
    expect(honest.source?.libraries).toEqual([{ name: "Maths", address: good }]);
  },
};

export default attack;

import { expect } from "vitest";
import { addressAt } from "../../support/build.ts";
import type { Attack, Program } from "./attack.ts";

const [good, bad] = [addressAt(0xbeef), addressAt(0xbad)];
const program: Program = {
  compiler: "0.6.12",
  settings: { libraries: { "User.sol": { Maths: good } } },
  sources: {
    "User.sol": `pragma solidity ^0.6.0;
library Maths { function twice(uint256 value) external pure returns (uint256) { return 2 * value; } }
contract User { function four(uint256 value) external pure returns (uint256) { return 2 * Maths.twice(value); } }`,
  },
  contract: "User.sol:User",
};
/** Up to 0.7.4 solc links by the name alone. */
const overruled: Program = {
  ...program,
  settings: { libraries: { "User.sol": { Maths: good }, "Z.sol": { Maths: bad } } },
};

const attack: Attack = {
  title:
    "the settings name an honest library in its file, and another one in a file that overrules it",
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
    expect(attacked.proof?.libraries).toEqual([{ name: "User.sol:Maths", address: bad }]);
    expect(honest.source?.libraries).toEqual([{ name: "Maths", address: good }]);
  },
};

export default attack;

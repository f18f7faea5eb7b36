import { expect } from "vitest";
import { addressAt } from "../../support/build.ts";
import { link } from "../deployment.ts";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "User.sol": `pragma solidity 0.8.28;
library Maths {
    function twice(uint256 value) external pure returns (uint256) { return 2 * value; }
    function thrice(uint256 value) external pure returns (uint256) { return 3 * value; }
}
contract User {
    function six(uint256 value) external pure returns (uint256) { return Maths.thrice(Maths.twice(value)); }
}`,
  },
  contract: "User.sol:User",
};

const [used, unused] = [addressAt(0xbeef), addressAt(0xdad)];
const boasting: Program = {
  ...program,
  settings: { libraries: { "User.sol": { Maths: used, Audited: unused }, "": { Safe: unused } } },
};

const attack: Attack = {
  title: "the settings name well-known libraries that the code does not use",
  attack: async (world) => {
    const { creation } = await world.compile(boasting);
    return world.verify(boasting, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    const code = link(creation, { "User.sol:Maths": used });
    return world.verify(program, await world.deploy(`0x${code}`));
  },
  atMost: "full",
  check: (attacked, honest) => {
    const libraries = [{ name: "Maths", address: used }];
    expect(attacked.source?.libraries).toEqual(libraries);
    expect(honest.source?.libraries).toEqual(libraries);
  },
};

export default attack;

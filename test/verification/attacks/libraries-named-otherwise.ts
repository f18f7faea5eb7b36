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

const [good, bad] = [addressAt(0xbeef), addressAt(0xbad)];
const named: Program = {
  ...program,
  settings: { libraries: { "User.sol": { Maths: good } } },
};

const attack: Attack = {
  title: "the settings name an honest library, the code on chain another one",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const code = link(creation, { "User.sol:Maths": bad });
    return world.verify(named, await world.deploy(`0x${code}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(named);
    return world.verify(named, await world.deploy(`0x${creation}`));
  },
  check: (_attacked, { proof, source }) => {
    expect(proof?.libraries).toEqual([{ name: "User.sol:Maths", address: good }]);
    expect(source?.libraries).toEqual([{ name: "Maths", address: good }]);
  },
};

export default attack;

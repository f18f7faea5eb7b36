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

const attack: Attack = {
  title: "one library has two addresses in the code on chain",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const [first = ""] = runtime.match(/__\$.{34}\$__/) ?? [];
    const code = link(runtime.replace(first, bad.slice(2)), { "User.sol:Maths": good });
    return world.verify(program, await world.predeploy(`0x${code}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(
      program,
      await world.deploy(`0x${link(creation, { "User.sol:Maths": good })}`),
    );
  },
  check: (_attacked, { proof }) => {
    expect(proof?.libraries).toEqual([{ name: "User.sol:Maths", address: good }]);
  },
};

export default attack;

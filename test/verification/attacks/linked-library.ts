import { expect } from "vitest";
import { addressAt } from "../../support/build.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";

const [GOOD, BAD] = [addressAt(0xbeef), addressAt(0xbad)];

/** A library of the settings that a compiler passes over. */
interface PassedOver {
  title: string;
  compiler: string;
  /** Of each function. */
  modifiers: string;
  /** Settings that name both, and the one that is linked in the place of the good one. */
  settings(good: string, bad: string): Record<string, Record<string, string>>;
  /** The name of the linked one in the proof. */
  proven: string;
}

/** The library that the compiler linked is shown, not another one of the settings. */
export function linkedLibrary(given: PassedOver): Attack {
  const { compiler, modifiers } = given;
  const program: Program = {
    compiler,
    settings: { libraries: { "User.sol": { Maths: GOOD } } },
    sources: {
      "User.sol": `pragma solidity ^${compiler.replace(/\d+$/, "0")};
library Maths { function twice(uint256 value) ${modifiers} returns (uint256) { return 2 * value; } }
contract User { function four(uint256 value) ${modifiers} returns (uint256) { return 2 * Maths.twice(value); } }`,
    },
    contract: "User.sol:User",
  };
  const overruled = { ...program, settings: { libraries: given.settings(GOOD, BAD) } };
  const verify = async (world: AttackWorld, of: Program) => {
    const { creation } = await world.compile(of);
    return world.verify(of, await world.deploy(`0x${creation}`));
  };
  return {
    title: given.title,
    attack: (world) => verify(world, overruled),
    atMost: "full",
    honest: (world) => verify(world, program),
    check: (attacked, honest) => {
      expect(attacked.source?.libraries).toEqual([{ name: "Maths", address: BAD }]);
      expect(attacked.proof?.libraries).toEqual([{ name: given.proven, address: BAD }]);
      expect(honest.source?.libraries).toEqual([{ name: "Maths", address: GOOD }]);
    },
  };
}

import { expect } from "vitest";
import { link } from "../deployment.ts";
import type { Attack, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Note.sol": `pragma solidity 0.8.28;
library Maths {
    function twice(uint256 value) external pure returns (uint256) { return 2 * value; }
}
contract Note {
    uint256 public immutable mark;
    constructor() { mark = Maths.twice(15); }
}`,
  },
  contract: "Note.sol:Note",
};

const attack: Attack = {
  title:
    "a library that only the constructor calls: its address is unknown, and so is what it left",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    return world.verify(program, await world.put(fill(runtime, immutables, word(9000))));
  },
  honest: async (world) => {
    const { creation: maths } = await world.compile({ ...program, contract: "Note.sol:Maths" });
    const { address } = await world.deploy(`0x${maths}`);
    const { creation } = await world.compile(program);
    return world.verify(
      program,
      await world.deploy(`0x${link(creation, { "Note.sol:Maths": address })}`),
    );
  },
  reason: /Another constructor ran/,
  check: (_attacked, honest) => {
    expect(honest.proof).toMatchObject({ construction: "compared", immutables: "compared" });
  },
};

export default attack;

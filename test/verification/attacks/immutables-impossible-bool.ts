import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Values.sol": `pragma solidity 0.8.28;
contract Values {
    bool public immutable value;
    constructor() { value = true; }
}`,
  },
  contract: "Values.sol:Values",
};

const attack: Attack = {
  title: "code of the beginning holds a value that a bool cannot have",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const code = fill(runtime, immutables, word(2));
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const code = fill(runtime, immutables, word(1));
    return world.verify(program, await world.predeploy(code));
  },
  reason: /no value of/,
  check: (_attacked, { proof }) => {
    expect(proof).toMatchObject({ construction: "unknown", immutables: "unknown" });
  },
};

export default attack;

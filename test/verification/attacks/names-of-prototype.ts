import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    ["__proto__"]: `pragma solidity 0.8.28;
contract toString { function answer() external pure returns (uint256) { return 42; } }`,
    constructor: `pragma solidity 0.8.28;
import {toString} from "__proto__";
contract hasOwnProperty is toString { uint256 public immutable valueOf = 7; }`,
  },
  contract: "constructor:hasOwnProperty",
};

const attack: Attack = {
  title: "names that every object of JavaScript has, of files, contracts and variables",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const standing = await world.deploy(`0x${creation}`);
    return world.verify({ ...program, contract: "__proto__:hasOwnProperty" }, standing);
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (_attacked, { source, proof }) => {
    expect(source?.sources.map(({ path }) => path).sort()).toEqual(["__proto__", "constructor"]);
    expect(source).toMatchObject({ filePath: "constructor", contractName: "hasOwnProperty" });
    expect(proof?.values).toMatchObject([{ name: "valueOf", type: "uint256" }]);
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const text = (body: string) => `pragma solidity 0.8.28;
contract Shop { function fee() external pure returns (uint256) { ${body} } }`;
const program: Program = {
  sources: {
    "a.sol": text("return 30;"),
    "b.sol": text("return 9000;"),
    "c.sol": text("return 30;"),
  },
  contract: "a.sol:Shop",
};

const attack: Attack = {
  title: "of several files with a contract of that name one is shown, another one stands on chain",
  attack: async (world) => {
    const { creation } = await world.compile({ ...program, contract: "b.sol:Shop" });
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (_attacked, { source }) => {
    expect(source).toMatchObject({ filePath: "a.sol", contractName: "Shop" });
    // The metadata names this file alone.
    expect(source?.sources.map(({ path }) => path)).toEqual(["a.sol"]);
  },
};

export default attack;

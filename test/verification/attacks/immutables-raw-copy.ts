import { expect } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { overwrite, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor() { fee = 30; }
}`,
  },
  contract: "Shop.sol:Shop",
};

const attack: Attack = {
  title: "the code is put there by an init code that only copies, with another fee in it",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const code = Object.values(immutables)
      .flat()
      .reduce<Hex>((hex, { start }) => overwrite(hex, start, `0x${word(9000)}`), `0x${runtime}`);
    return world.verify(program, await world.put(code));
  },
  honest: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const code = Object.values(immutables)
      .flat()
      .reduce<Hex>((hex, { start }) => overwrite(hex, start, `0x${word(30)}`), `0x${runtime}`);
    return world.verify(program, await world.put(code));
  },
  reason: /Another constructor ran/,
  reaches: "partial",
  check: (_attacked, honest) => {
    expect(honest.proof).toMatchObject({
      construction: "run",
      immutables: "run",
      values: [{ name: "fee", type: "uint256", value: `0x${word(30)}` }],
    });
  },
};

export default attack;

import type { Attack, Program } from "./attack.ts";

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
/** The program with another text in one place, as it was deployed. */
const other: Program = {
  ...program,
  sources: { "Shop.sol": (program.sources["Shop.sol"] ?? "").replace("fee = 30", "fee = 9000") },
};

const attack: Attack = {
  title: "another fee, left by a constructor that a factory ran",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deployByFactory(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deployByFactory(`0x${creation}`));
  },
  reason: /Another constructor ran/,
};

export default attack;

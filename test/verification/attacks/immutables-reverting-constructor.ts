import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor() { require(tx.gasprice == 1, "never"); fee = 30; }
}`,
  },
  contract: "Shop.sol:Shop",
};
/** The program with another text in one place, as it was deployed. */
const other: Program = {
  ...program,
  sources: {
    "Shop.sol": (program.sources["Shop.sol"] ?? "")
      .replace("fee = 30", "fee = 9000")
      .replace('require(tx.gasprice == 1, "never");', ""),
  },
};
const plain: Program = {
  ...program,
  sources: { "Shop.sol": (program.sources["Shop.sol"] ?? "").replace("tx.gasprice == 1", "true") },
};

const attack: Attack = {
  title: "the constructor of the source fails wherever it is run again",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    return world.verify(plain, await world.deploy(`0x${creation}`));
  },
  reason: /Another constructor ran/,
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    address public immutable keeper;
    constructor(address keeper_) { fee = 30; keeper = keeper_; }
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
  title: "another fee, with the arguments of an honest constructor behind the code",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}${word(0xbeef)}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(0xbeef)}`));
  },
  reason: /Another constructor ran/,
};

export default attack;

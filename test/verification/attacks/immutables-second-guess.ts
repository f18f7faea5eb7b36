import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor(string memory name) {
        require(bytes(name).length > 0);
        fee = 30;
    }
}`,
  },
  contract: "Shop.sol:Shop",
};
const other: Program = {
  ...program,
  sources: { "Shop.sol": (program.sources["Shop.sol"] ?? "").replace("fee = 30", "fee = 9000") },
};
/** A text of 64 bytes, whose own end reads as an empty text: the constructor fails with that one. */
const TEXT = [0x20, 0x40, 0x20, 0].map(word).join("");

const attack: Attack = {
  title: "arguments that end in what reads as others, with which the constructor fails",
  attack: async (world) => {
    const { creation } = await world.compile(other);
    return world.verify(program, await world.deploy(`0x${creation}${TEXT}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${TEXT}`));
  },
  reason: /Another constructor ran/,
};

export default attack;

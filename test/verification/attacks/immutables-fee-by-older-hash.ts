import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor() { fee = blockhash(block.number - 2) == 0 ? 9000 : 30; }
}`,
  },
  contract: "Shop.sol:Shop",
};

async function verify(world: AttackWorld, fee: number) {
  const { runtime, immutables } = await world.compile(program);
  const standing = await world.deploy(initCodeOf(fill(runtime, immutables, word(fee))));
  for (let count = 0; count < 3; count++) await world.put("0x00");
  return world.verify(program, standing, { onHeadState: true });
}

const attack: Attack = {
  title: "a fee by the hash of a block before the last one, run on a later state",
  attack: (world) => verify(world, 9000),
  honest: (world) => verify(world, 30),
  reaches: "partial",
  reason: /Another constructor ran/,
};

export default attack;

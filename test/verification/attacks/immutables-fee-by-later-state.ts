import { toFunctionSelector } from "viem/utils";
import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program, Standing } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public last;
    uint256 public immutable fee;
    constructor() { fee = last == 0 && address(this).balance == 0 ? 30 : 9000; }
    function buy() external payable { last = msg.value; }
}`,
  },
  contract: "Shop.sol:Shop",
};

type Way = (world: AttackWorld, fee: number) => Promise<Standing>;

/** Makes a shop with a fee of its maker's choice, and buys in it. */
const byCreate2: Way = async (world, fee) => {
  const { runtime, immutables } = await world.compile(program);
  const code = initCodeOf(fill(runtime, immutables, word(fee)));
  const standing = await world.deployByCreate2(code);
  const selector = toFunctionSelector("buy()").slice(2);
  const call = `600060006004600034${`73${standing.address.slice(2)}`}5af1`;
  await world.deploy(`0x63${selector}60e01b600052${call}00`, 1n);
  return standing;
};

const attack: Attack = {
  title: "a fee that the constructor leaves only with the storage and coins of a later state",
  attack: async (world) =>
    world.verify(program, await byCreate2(world, 9000), { onHeadState: true }),
  honest: async (world) => world.verify(program, await byCreate2(world, 30), { onHeadState: true }),
  reaches: "partial",
  reason: /Another constructor ran/,
};

export default attack;

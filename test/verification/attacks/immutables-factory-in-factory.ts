import { toFunctionSelector } from "viem/utils";
import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shops.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor(uint256 f) { fee = f; }
}
contract Maker {
    uint256 public immutable fee;
    constructor() { fee = 30; }
    function make() external returns (Shop) { return new Shop(fee); }
}
contract Makers {
    function make() external returns (Maker) { return new Maker(); }
}`,
  },
  contract: "Shops.sol:Maker",
};

/** A maker with this fee, whose own factory creates it by other init code than that of the source. */
async function verify(world: AttackWorld, fee: number) {
  const { runtime, immutables } = await world.compile(program);
  const initCode = initCodeOf(fill(runtime, immutables, word(fee)));
  const makers = await world.compile({ ...program, contract: "Shops.sol:Makers" });
  const { creation } = await world.compile(program);
  const [size, other] = [creation, initCode.slice(2)].map(({ length }) => length / 2);
  if (size === undefined || other === undefined || other > size) throw new Error("too long");
  // Behind its end stands what the code of the source has there: it is never run.
  const changed = `${initCode.slice(2)}${creation.slice(2 * other)}`;
  const code = makers.creation.replace(creation, changed);
  const { address } = await world.deploy(`0x${code}`);
  const data = toFunctionSelector("make()");
  return world.verify(program, await world.deployBy(address, data, `0x${changed}`));
}

const attack: Attack = {
  title: "a factory in a factory, whose immutable its changed init code sets",
  attack: (world) => verify(world, 9000),
  honest: (world) => verify(world, 30),
  reaches: "partial",
  reason: /Another constructor ran/,
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { fill, overwrite, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
contract Shop {
    uint256 public immutable fee;
    constructor() { fee = 30; }
    function price(uint256 amount) external view returns (uint256) { return amount * fee; }
}`,
  },
  contract: "Shop.sol:Shop",
};

const attack: Attack = {
  title: "the copies of one immutable differ",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const [first] = Object.values(immutables).flat();
    const code = overwrite(fill(runtime, immutables, word(30)), first?.start ?? 0, `0x${word(31)}`);
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    return world.verify(program, await world.predeploy(fill(runtime, immutables, word(30))));
  },
  reason: /different values for one immutable/,
};

export default attack;

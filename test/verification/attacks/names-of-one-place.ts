import type { Attack, Program } from "./attack.ts";

const main = `pragma solidity 0.8.28;
import "Fee.sol" as Shown;
import {Fee} from "lib/Fee.sol";
contract Shop { uint256 public fee = Fee.NOW; }`;
const shown = "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 1; }";
const used = "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 99; }";

const program = (other: string): Program => ({
  sources: { "Shop.sol": main, "Fee.sol": shown, "./Fee.sol": other },
  settings: { remappings: ["lib/=./"] },
  contract: "Shop.sol:Shop",
});

const attack: Attack = {
  title: "two files with other texts have one place in a folder",
  attack: async (world) => {
    const { creation } = await world.compile(program(used));
    return world.verify(program(used), await world.deploy(`0x${creation}`));
  },
  reason: /Fee\.sol occurs twice/,
  honest: async (world) => {
    const { creation } = await world.compile(program(shown));
    return world.verify(program(shown), await world.deploy(`0x${creation}`));
  },
};

export default attack;

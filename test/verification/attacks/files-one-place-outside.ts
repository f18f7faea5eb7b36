import type { Attack, Program } from "./attack.ts";

const file = (value: number) =>
  `pragma solidity 0.8.28; library Fee { uint256 constant NOW = ${value}; }`;

const program = (used: number): Program => ({
  sources: {
    "src/Shop.sol": `pragma solidity 0.8.28;
import "src/Fee.sol" as Shown;
import {Fee} from "beside/Fee.sol";
contract Shop { uint256 public fee = Fee.NOW; }`,
    "src/Fee.sol": file(1),
    "../src/Fee.sol": file(used),
  },
  settings: { remappings: ["beside/=../src/"] },
  contract: "src/Shop.sol:Shop",
});

const attack: Attack = {
  title: "a file out of the project hides behind one within it, once the way out is cut off",
  attack: async (world) => {
    const { creation } = await world.compile(program(99));
    return world.verify(program(99), await world.deploy(`0x${creation}`));
  },
  reason: /src\/Fee\.sol stands there twice/,
  honest: async (world) => {
    const { creation } = await world.compile(program(1));
    return world.verify(program(1), await world.deploy(`0x${creation}`));
  },
};

export default attack;

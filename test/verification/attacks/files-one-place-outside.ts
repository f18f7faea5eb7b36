import type { Attack, Program } from "./attack.ts";

const file = (value: number) =>
  `pragma solidity 0.8.28; library Fee { uint256 constant NOW = ${value}; }`;

/** Two versions of a package, as those of a workspace stand: one beside the project, one within it. */
const program = (folder: string): Program => ({
  sources: {
    "src/Shop.sol": `pragma solidity 0.8.28;
import "@fee/Fee.sol" as Shown;
import {Fee} from "@workspace/Fee.sol";
contract Shop { uint256 public fee = Fee.NOW; }`,
    [`${folder}/Fee.sol`]: file(1),
    "../../node_modules/@fee/Fee.sol": file(99),
  },
  settings: { remappings: [`@fee/=${folder}/`, "@workspace/=../../node_modules/@fee/"] },
  contract: "src/Shop.sol:Shop",
});

const attack: Attack = {
  title: "a file out of the project hides behind one of the same place",
  attack: async (world) => {
    const it = program(".././../node_modules/@fee");
    const { creation } = await world.compile(it);
    return world.verify(it, await world.deploy(`0x${creation}`));
  },
  reason: /\.\.\/\.\.\/node_modules\/@fee\/Fee\.sol occurs twice/,
  honest: async (world) => {
    const it = program("node_modules/@fee");
    const { creation } = await world.compile(it);
    return world.verify(it, await world.deploy(`0x${creation}`));
  },
};

export default attack;

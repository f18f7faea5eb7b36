import type { Attack, AttackWorld, Program } from "./attack.ts";

const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const program = (shown: string, used: string): Program => ({
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
import "${escaped(shown)}" as Shown;
import {Fee} from "${escaped(used)}";
contract Shop { uint256 public fee = Fee.NOW; }`,
    [shown]: "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 1; }",
    [used]: "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 99; }",
  },
  contract: "Shop.sol:Shop",
});

/** One letter or two for it, a space that does not break, a space at the end, letters of full width. */
const ALIKE = [
  ["Caf\u00e9.sol", "Cafe\u0301.sol"],
  ["My Fee.sol", "My\u00a0Fee.sol"],
  ["lib/Fee.sol", "lib /Fee.sol"],
  ["Fee.sol", "\uff26ee.sol"],
] as const;

async function verify(world: AttackWorld, it: Program) {
  const { creation } = await world.compile(it);
  return world.verify(it, await world.deploy(`0x${creation}`));
}

const attack: Attack = {
  title: "two files have names of other characters that look the same",
  attack: async (world) => {
    const verdicts = [];
    for (const [shown, used] of ALIKE) verdicts.push(await verify(world, program(shown, used)));
    const [first, ...others] = verdicts.sort(
      (left, right) => left.reason.length - right.reason.length,
    );
    if (first === undefined) throw new Error(`${others.length} tried`);
    return first;
  },
  reason: /occurs twice/,
  honest: (world) => verify(world, program("Caf\u00e9 1.sol", "Caf\u00e9 2.sol")),
};

export default attack;

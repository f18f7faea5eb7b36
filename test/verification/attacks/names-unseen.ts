import type { Attack, Program } from "./attack.ts";

const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const program = (name: string): Program => ({
  sources: {
    "Shop.sol": `pragma solidity 0.8.28;
import "Fee.sol" as Shown;
import {Fee} from "${escaped(name)}";
contract Shop { uint256 public fee = Fee.NOW; }`,
    "Fee.sol": "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 1; }",
    [name]: "pragma solidity 0.8.28; library Fee { uint256 constant NOW = 99; }",
  },
  contract: "Shop.sol:Shop",
});

/** Zero-width space, soft hyphen, word joiner, Hangul filler, variation selector, line separator, blank of Braille. */
const UNSEEN = ["\u200b", "\u00ad", "\u2060", "\u3164", "\ufe0f", "\u2028", "\u2800"];

const attack: Attack = {
  title: "two files have names that look the same",
  attack: async (world) => {
    const verdicts = [];
    for (const character of UNSEEN) {
      const it = program(`Fe${character}e.sol`);
      const { creation } = await world.compile(it);
      verdicts.push(await world.verify(it, await world.deploy(`0x${creation}`)));
    }
    const [first, ...others] = verdicts.sort(
      (left, right) => left.reason.length - right.reason.length,
    );
    if (first === undefined) throw new Error(`${others.length} tried`);
    return first;
  },
  reason: /not printable/,
  honest: async (world) => {
    const it = program("Été/Fee.sol");
    const { creation } = await world.compile(it);
    return world.verify(it, await world.deploy(`0x${creation}`));
  },
};

export default attack;

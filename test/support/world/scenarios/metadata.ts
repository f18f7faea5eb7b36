import type { Address, Hex } from "viem";
import { zeroAddress } from "viem";
import { word } from "../contracts.ts";
import { addressWord, emitLog, type Lesson, stringAnswer, TRANSFER, teach } from "../events.ts";
import type { Scenario } from "../scene.ts";

function textAnswer(text: string): Hex {
  return stringAnswer(Buffer.from(text));
}

function answer(signature: string, prefix: Hex): Lesson {
  return { signature, mode: "answer", prefix };
}

const NINE = answer("decimals()", word(9));
const SUPPLY = answer("totalSupply()", word(1_000_000));
const BALANCE = answer("balanceOf(address)", word(5));
const LONG = 65_536;

/** Descriptions of the puppets from the fifth on, one list each. */
const LESSONS: readonly (readonly Lesson[])[] = [
  // Zero bytes, broken UTF-8, a lone surrogate, and characters that turn text around.
  [
    answer("name()", textAnswer("a\0b\0")),
    answer("symbol()", textAnswer("\0")),
    NINE,
    SUPPLY,
    BALANCE,
  ],
  [
    answer("name()", stringAnswer(Buffer.from("ff41c328eda08042f0288cbc", "hex"))),
    answer("symbol()", stringAnswer(Buffer.from("eda0bdedb880", "hex"))),
    answer("decimals()", word(256)),
    answer("totalSupply()", word(2n ** 256n - 1n)),
    BALANCE,
  ],
  // 64 KB of name; a symbol of blanks, line ends and marks of direction.
  [
    {
      signature: "name()",
      mode: "answer",
      prefix: `0x${word(32).slice(2)}${word(LONG).slice(2)}`,
      unit: "0x4c",
      times: LONG,
    },
    answer("symbol()", textAnswer(" \n\t\u202e\u200b ")),
    answer("decimals()", word(2n ** 255n)),
    SUPPLY,
    BALANCE,
  ],
  // Words instead of strings; decimals of the wrong size.
  [
    answer("name()", `0x${Buffer.from("Word").toString("hex").padEnd(64, "0")}`),
    answer("symbol()", `0x${"ff".repeat(32)}`),
    answer("decimals()", "0x12"),
    answer("totalSupply()", "0x"),
    answer("balanceOf(address)", "0x"),
  ],
  // Offsets and lengths that lead nowhere.
  [
    answer("name()", `0x${word(2n ** 200n).slice(2)}${word(1).slice(2)}`),
    answer("symbol()", `0x${word(32).slice(2)}${word(2n ** 64n).slice(2)}${"41".repeat(32)}`),
    answer("decimals()", `0x${word(6).slice(2)}${word(7).slice(2)}`),
    answer("totalSupply()", `0x${word(8).slice(2)}${word(9).slice(2)}`),
    answer("balanceOf(address)", word(2n ** 256n - 1n)),
  ],
  // Calls that take all gas.
  [
    { signature: "name()", mode: "burnGas" },
    { signature: "symbol()", mode: "burnGas" },
    { signature: "decimals()", mode: "burnGas" },
    { signature: "totalSupply()", mode: "burnGas" },
    { signature: "balanceOf(address)", mode: "burnGas" },
  ],
  // Empty texts.
  [
    answer("name()", textAnswer("")),
    answer("symbol()", "0x"),
    answer("decimals()", word(0)),
    SUPPLY,
    BALANCE,
  ],
  // Nothing at all: every call fails.
  [],
];

/** Tokens with descriptions that can break a reader; each appears by one mint. */
export const hostileMetadata: Scenario = async (scene) => {
  const [from, owner] = scene.accounts as [Address, Address];
  for (const [index, lessons] of LESSONS.entries()) {
    const to = scene.contract(`puppet${5 + index}`);
    for (const lesson of lessons) scene.send({ from, to, data: teach(lesson) });
  }
  await scene.mine();
  for (const index of LESSONS.keys()) {
    const topics = [TRANSFER, addressWord(zeroAddress), addressWord(owner)];
    scene.send({ from, to: scene.contract(`puppet${5 + index}`), data: emitLog(topics, word(5)) });
  }
  await scene.mine();
};

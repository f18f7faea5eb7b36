import { expect } from "vitest";
import type { Hex } from "../../../src/core/hex.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";

/** Behind this the EVM takes 32 bytes of the next contract's code for what is pushed, and an address in it for code. */
const TAIL = `${"00".repeat(13)}7f${"00".repeat(26)}`;

const program: Program = {
  sources: {
    "Maker.sol": `pragma solidity 0.8.28;
library L { function one(uint256 x) external pure returns (uint256) { return x; } }
contract A {
    bytes32 hash;
    constructor() {
        bytes memory text = hex"${"77".repeat(140)}${TAIL}";
        hash = keccak256(text);
    }
}
contract B { uint256 x = L.one(7); }
contract Maker {
    function() internal next;
    function set(uint256 place) external { assembly { sstore(next.slot, place) } }
    function run() external { next(); }
    function a() external returns (address) { return address(new A()); }
    function b() external returns (address) { return address(new B()); }
}`,
  },
  contract: "Maker.sol:Maker",
};

async function linked(world: AttackWorld, address: string) {
  const { creation } = await world.compile(program);
  const code: Hex = `0x${creation.replaceAll(/__\$.{34}\$__/g, address)}`;
  return world.verify(program, await world.deploy(code));
}

const attack: Attack = {
  title: "the address of a library is code, which stands among data and can be jumped into",
  attack: (world) => linked(world, "5b33ff".padEnd(40, "0")),
  honest: (world) => linked(world, "11".repeat(20)),
  check: ({ reason }) => expect(reason).toMatch(/could be made to run it/),
};

export default attack;

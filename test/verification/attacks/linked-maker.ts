import { expect } from "vitest";
import type { Attack, AttackWorld, Program } from "./attack.ts";

/** JUMPDEST, CALLER, SELFDESTRUCT. */
export const PAYLOAD = "5b33ff";
/** A library's address that is code, and one that is not. */
const [CODE, NO_CODE] = [PAYLOAD.padEnd(40, "0"), "11".repeat(20)];
/** Behind this the EVM takes 32 bytes of the next contract's code for what is pushed, and an address in it for code. */
const TAIL = `${"00".repeat(13)}7f${"00".repeat(26)}`;

interface LinkedMaker {
  title: string;
  /** Code that jumps to a place of the caller's choice. */
  body: string;
  /** Whether the settings link it. */
  isLinked?: boolean;
  /** Arguments of the library's call. */
  value?: string;
  /** The address, in hex digits. */
  code?: string;
}

/** A contract whose code holds the address of a library among data, which is code. */
export function linkedMaker({
  title,
  body,
  isLinked = false,
  value = "7",
  code = CODE,
}: LinkedMaker): Attack {
  /** Another `mark` gives other metadata, which decides about how the EVM reads what is behind it. */
  const programOf = (address: string, mark: number): Program => ({
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
contract B { uint256 x = L.one(${value}); }
contract Maker {
    ${body}
    function a() external returns (address) { return address(new A()); }
    function b() external returns (address) { return address(new B()); }
} // ${mark}`,
    },
    contract: "Maker.sol:Maker",
    settings: isLinked ? { libraries: { "Maker.sol": { L: `0x${address}` } } } : {},
  });
  const link = (object: string, address: string) => object.replaceAll(/__\$.{34}\$__/g, address);
  const verify = async (world: AttackWorld, address: string, mark: number) => {
    const program = programOf(address, mark);
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${link(creation, address)}`));
  };
  const hostileMark = async (world: AttackWorld) => {
    for (let mark = 0; mark < 64; mark++) {
      const { runtime } = await world.compile(programOf(code, mark));
      if (destinations(link(runtime, code)).some((rest) => rest.startsWith(PAYLOAD))) return mark;
    }
    throw new Error("the EVM takes the code for data");
  };
  return {
    title,
    attack: async (world) => verify(world, code, await hostileMark(world)),
    honest: async (world) => verify(world, NO_CODE, await hostileMark(world)),
    check: ({ reason }) => expect(reason).toMatch(/could be made to run it/),
  };
}

/** Runs what a caller put into the storage. */
export const FROM_STORAGE = `function() internal next;
    function set(uint256 place) external { assembly { sstore(next.slot, place) } }
    function run() external { next(); }`;

/** The code at each jump destination, in hex digits, as the EVM reads it. */
function destinations(digits: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < digits.length; at += 2) {
    const opcode = Number.parseInt(digits.slice(at, at + 2), 16);
    if (opcode === 0x5b) found.push(digits.slice(at));
    if (opcode >= 0x60 && opcode <= 0x7f) at += 2 * (opcode - 0x5f);
  }
  return found;
}

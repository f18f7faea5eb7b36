import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    address public owner;
    constructor() { owner = msg.sender; }
}`,
  },
  contract: "Vault.sol:Vault",
};

/** Selfdestructs to its caller. */
const EVIL = "0x33ff";
/** Returns it. */
const EVIL_INIT_CODE = "6133ff6000526002601ef3";

const attack: Attack = {
  title:
    "the data in front of a blueprint's init code are what factories run, which skip three bytes",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    // The length of the data is a JUMPDEST, and the data are init code.
    const data = EVIL_INIT_CODE.padEnd(0x5b * 2, "0");
    const initCode = hexConcat("0x5b", `0x${data}`, `0x${creation}`);
    const created = await world.runtimeCode(await world.deploy(initCode));
    if (created !== EVIL) throw new Error(`a factory makes ${created}`);
    return world.verify(program, await world.put(hexConcat("0xfe7101", initCode)));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.put(`0xfe7100${creation}`));
  },
};

export default attack;

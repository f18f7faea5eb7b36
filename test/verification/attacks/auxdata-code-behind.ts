import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataWith, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Note.sol": `pragma solidity 0.8.28;
contract Note {
    uint256 public mark;
    function set(uint256 value) external { mark = value; }
}`,
  },
  contract: "Note.sol:Note",
};

const attack: Attack = {
  title: "code of the attacker's stands between the compiled code and real metadata",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const code = hexConcat(withoutMetadata(runtime), "0x5b33ff", metadataWith("12"));
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { runtime } = await world.compile(program);
    const code = hexConcat(withoutMetadata(runtime), metadataWith("12"));
    return world.verify(program, await world.predeploy(code));
  },
  reaches: "partial",
};

export default attack;

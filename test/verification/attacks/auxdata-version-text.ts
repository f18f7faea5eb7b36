import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

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
  title: "metadata on chain with code in the place of the version",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const code = withoutMetadata(runtime);
    return world.verify(
      program,
      await world.predeploy(
        hexConcat(code, metadataOf(`64${text("solc")}6c5b33ff5b33ff5b33ff5b33ff`, 1)),
      ),
    );
  },
  honest: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${runtime}`));
  },
};

export default attack;

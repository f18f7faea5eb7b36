import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { overwrite } from "./attack-world.ts";

const BEGINNING = "a165627a7a72305820";
const HASH_BYTES = 32;

/**
 * The metadata of a contract that a factory of an old release makes, in the middle of the code, holds more than another hash.
 * The factory is honest when a comment alone was changed.
 */
export function codeInHashOfChild(compiler: string): Attack {
  const program: Program = {
    compiler,
    sources: {
      "Maker.sol": `pragma solidity ^0.4.8;
contract Child { uint public mark; }
contract Maker { function make() returns (address) { return new Child(); } }`,
    },
    contract: "Maker.sol:Maker",
  };
  return {
    title: `solc ${compiler} does not tell the metadata of the contracts that a factory makes`,
    attack: async (world) => {
      const { runtime } = await world.compile(program);
      const inner = runtime.indexOf(BEGINNING) / 2 + BEGINNING.length / 2 + HASH_BYTES;
      const code: Hex = overwrite(`0x${runtime}`, inner, "0x0030");
      return world.verify(program, await world.predeploy(code));
    },
    honest: async (world) => {
      const [[path, text = ""] = [""]] = Object.entries(program.sources);
      const changed = { ...program, sources: { [path]: `${text}\n// changed` } };
      const { creation } = await world.compile(changed);
      return world.verify(program, await world.deploy(`0x${creation}`));
    },
    reaches: "partial",
  };
}

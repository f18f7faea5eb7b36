import { keccak256, stringToBytes } from "viem/utils";
import { expect } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Attack, Program } from "./attack.ts";

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
  title: "a metadata file names sources that the compiler's own does not",
  attack: async (world) => {
    const { creation, metadata } = await world.compile(program);
    const text = "// No findings.\n";
    const added = JSON.parse(metadata);
    added.sources["AUDIT.sol"] = { keccak256: keccak256(stringToBytes(text)), content: text };
    const files = [
      { path: "metadata.json", text: JSON.stringify(added) },
      { path: "Note.sol", text: program.sources["Note.sol"] ?? "" },
    ];
    const request = (address: Address) => ({ format: "metadata-files", address, files }) as const;
    return world.verify(program, await world.deploy(`0x${creation}`), { request });
  },
  honest: async (world) => {
    const { creation, metadata } = await world.compile(program);
    const files = [
      { path: "metadata.json", text: metadata },
      { path: "Note.sol", text: program.sources["Note.sol"] ?? "" },
    ];
    const request = (address: Address) => ({ format: "metadata-files", address, files }) as const;
    return world.verify(program, await world.deploy(`0x${creation}`), { request });
  },
  atMost: "full",
  check: ({ source }) => {
    expect(source?.sources.map(({ path }) => path)).toEqual(["Note.sol"]);
  },
};

export default attack;

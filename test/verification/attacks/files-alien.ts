import { expect } from "vitest";
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
const alien: Program = {
  ...program,
  sources: {
    ...program.sources,
    "AUDIT-REPORT.sol": "// No findings. Signed: a well-known firm.\n",
    "../../../.ssh/authorized_keys": "// ssh-ed25519 AAAA\n",
    "/etc/cron.d/job": "// * * * * * root\n",
  },
};

const attack: Attack = {
  title: "files that do not belong to the contract are sent with it",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(alien, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  atMost: "full",
  check: ({ source }) => {
    expect(source?.sources.map(({ path }) => path)).toEqual(["Note.sol"]);
    expect(JSON.parse(source?.sourceIds ?? "")).toEqual({ "Note.sol": { id: expect.any(Number) } });
  },
};

export default attack;

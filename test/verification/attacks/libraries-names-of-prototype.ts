import { expect } from "vitest";
import { addressAt } from "../../support/build.ts";
import { link } from "../deployment.ts";
import type { Attack, Program } from "./attack.ts";

const [good, bad] = [addressAt(0xbeef), addressAt(0xbad)];
const library = "__proto__:__proto__";

const program: Program = {
  sources: {
    ["__proto__"]: `pragma solidity 0.8.28;
library __proto__ {
    function twice(uint256 value) external pure returns (uint256) { return 2 * value; }
}`,
    "User.sol": `pragma solidity 0.8.28;
import "__proto__";
struct Member { uint256 __proto__; }
contract User {
    uint256 public immutable mark;
    constructor(Member memory member) { mark = member.__proto__; }
    function twice(uint256 value) external pure returns (uint256) { return __proto__.twice(value); }
}`,
  },
  contract: "User.sol:User",
};
const word = "7".padStart(64, "0");

const attack: Attack = {
  title: "a library with the name that every object of JavaScript has is linked to another address",
  attack: async (world) => {
    const { creation, metadata } = await world.compile(linkedTo(good));
    const code = creation.replaceAll(good.slice(2), bad.slice(2));
    return world.verify(program, await world.deploy(`0x${code}${word}`), {
      request: (address) => ({ format: "metadata-files", address, files: filesOf(metadata) }),
    });
  },
  honest: async (world) => {
    const linked = await world.compile(linkedTo(good));
    const byMetadata = await world.verify(
      program,
      await world.deploy(`0x${linked.creation}${word}`),
      {
        request: (address) => ({
          format: "metadata-files",
          address,
          files: filesOf(linked.metadata),
        }),
      },
    );
    expect(byMetadata.level).toBe("full");
    const { creation } = await world.compile(program);
    const code = link(creation, { [library]: good });
    return world.verify(program, await world.deploy(`0x${code}${word}`));
  },
  check: (_attacked, { proof, source }) => {
    expect(proof?.libraries).toEqual([{ name: library, address: good }]);
    expect(source?.constructorArguments).toBe(`0x${word}`);
    expect(JSON.parse(source?.sourceIds ?? "")).toEqual({
      ["__proto__"]: { id: 1 },
      "User.sol": { id: 0 },
    });
  },
};

function linkedTo(address: string): Program {
  return { ...program, settings: { libraries: { ["__proto__"]: { ["__proto__"]: address } } } };
}

function filesOf(metadata: string) {
  const sources = Object.entries(program.sources).map(([path, text]) => ({ path, text }));
  return [{ path: "metadata.json", text: metadata }, ...sources];
}

export default attack;

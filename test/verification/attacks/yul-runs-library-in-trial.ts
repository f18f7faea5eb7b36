import { expect } from "vitest";
import type { Hex } from "../../../src/core/hex.ts";
import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";

/** Where `author` is PUSH1, it pushes the PUSH20 of what the compiler writes next, so that the address is run. */
function program(author: "60" | "5f"): Program {
  const source = `object "Shop" {
    code {
        let x := verbatim_0i_1o(hex"${author}")
        sstore(0, linkersymbol("L"))
        datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
        return(0, datasize("Runtime"))
    }
    object "Runtime" {
        code { mstore(0, linkersymbol("L")) return(0, 32) }
    }
}`;
  return { language: "Yul", sources: { "Shop.yul": source }, contract: "Shop.yul:Shop" };
}

/** Another constructor leaves the code that this one would leave. */
async function verify(world: AttackWorld, sent: Program) {
  const { runtime } = await world.compile(sent);
  // 1 into slot 1, nothing, and what is to be stored.
  const address = "6001600155".padEnd(38, "5b").concat("5f");
  const code: Hex = `0x${runtime.replaceAll(/__\$.{34}\$__/g, address)}`;
  return world.verify(sent, await world.deploy(initCodeOf(code)));
}

const attack: Attack = {
  title: "another constructor ran, and that of the source in Yul would run a library's address",
  attack: (world) => verify(world, program("60")),
  atMost: "partial",
  honest: (world) => verify(world, program("5f")),
  reaches: "partial",
  check: (attacked, honest) => {
    expect(attacked.proof).toMatchObject({ construction: "unknown" });
    expect(honest.proof).toMatchObject({ construction: "run" });
  },
};

export default attack;

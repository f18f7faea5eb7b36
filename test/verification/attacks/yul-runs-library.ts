import type { Hex } from "../../../src/core/hex.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";

/** Where `author` is PUSH1, it pushes the PUSH20 of what the compiler writes next, so that the address is run. */
function program(author: "60" | "5f"): Program {
  const source = `object "Shop" {
    code {
        datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
        return(0, datasize("Runtime"))
    }
    object "Runtime" {
        code {
            let x := verbatim_0i_1o(hex"${author}")
            mstore(0, linkersymbol("L"))
            return(0, 32)
        }
    }
}`;
  return { language: "Yul", sources: { "Shop.yul": source }, contract: "Shop.yul:Shop" };
}

async function verify(world: AttackWorld, sent: Program) {
  const { creation } = await world.compile(sent);
  const address = "33ff".padEnd(40, "0");
  const code: Hex = `0x${creation.replaceAll(/__\$.{34}\$__/g, address)}`;
  return world.verify(sent, await world.deploy(code));
}

const attack: Attack = {
  title: "a library's address is code, which an instruction of the author's own in Yul has run",
  attack: (world) => verify(world, program("60")),
  reason: /could be made to run it/,
  honest: (world) => verify(world, program("5f")),
  reaches: "partial",
};

export default attack;

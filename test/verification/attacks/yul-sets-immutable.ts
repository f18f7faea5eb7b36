import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  language: "Yul",
  sources: {
    "Shop.yul": `object "Shop" {
    code {
        let size := datasize("runtime")
        datacopy(0, dataoffset("runtime"), size)
        setimmutable(0, "fee", 30)
        return(0, size)
    }
    object "runtime" {
        code { mstore(0, loadimmutable("fee")) return(0, 32) }
    }
}`,
  },
  contract: "Shop.yul:Shop",
};

async function verify(world: AttackWorld, fee: number) {
  const { runtime, immutables } = await world.compile(program);
  const code = fill(runtime, immutables, word(fee));
  return world.verify(program, await world.deploy(initCodeOf(code)));
}

const attack: Attack = {
  title: "an immutable of Yul that its constructor sets to another value",
  attack: (world) => verify(world, 9000),
  honest: (world) => verify(world, 30),
  reaches: "partial",
  reason: /Another constructor ran/,
};

export default attack;

import type { Attack, Program } from "./attack.ts";
import { fill } from "./attack-world.ts";
import { verbatim, yulShop } from "./verbatim-shop.ts";

function program(author: "PUSH1" | "PUSH0"): Program {
  return yulShop({
    construction: `setimmutable(0, "fee", 30)`,
    runtime: `${verbatim(author)} mstore(0, loadimmutable("fee"))`,
  });
}

const attack: Attack = {
  title: "an immutable of Yul is code, which an instruction of the author's own has run",
  attack: async (world) => {
    const sent = program("PUSH1");
    const { runtime, immutables } = await world.compile(sent);
    // CALLER, SELFDESTRUCT.
    const code = fill(runtime, immutables, "33ff".padEnd(64, "0"));
    return world.verify(sent, await world.predeploy(code));
  },
  reason: /could be made to run it/,
  honest: async (world) => {
    const sent = program("PUSH0");
    const { creation } = await world.compile(sent);
    return world.verify(sent, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

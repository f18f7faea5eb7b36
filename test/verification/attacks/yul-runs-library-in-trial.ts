import { expect } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { initCodeOf } from "../deployment.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { verbatim, yulShop } from "./verbatim-shop.ts";

function program(author: "PUSH1" | "PUSH0"): Program {
  return yulShop({
    construction: `${verbatim(author)} sstore(0, linkersymbol("L"))`,
    runtime: `mstore(0, linkersymbol("L"))`,
  });
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
  attack: (world) => verify(world, program("PUSH1")),
  atMost: "partial",
  honest: (world) => verify(world, program("PUSH0")),
  reaches: "partial",
  check: (attacked, honest) => {
    expect(attacked.proof).toMatchObject({ construction: "unknown" });
    expect(honest.proof).toMatchObject({ construction: "run" });
  },
};

export default attack;

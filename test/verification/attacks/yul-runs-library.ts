import type { Hex } from "../../../src/core/evm/hex.ts";
import type { Attack, AttackWorld, Program } from "./attack.ts";
import { verbatim, yulShop } from "./verbatim-shop.ts";

function program(author: "PUSH1" | "PUSH0"): Program {
  return yulShop({ runtime: `${verbatim(author)} mstore(0, linkersymbol("L"))` });
}

async function verify(world: AttackWorld, sent: Program) {
  const { creation } = await world.compile(sent);
  const address = "33ff".padEnd(40, "0");
  const code: Hex = `0x${creation.replaceAll(/__\$.{34}\$__/g, address)}`;
  return world.verify(sent, await world.deploy(code));
}

const attack: Attack = {
  title: "a library's address is code, which an instruction of the author's own in Yul has run",
  attack: (world) => verify(world, program("PUSH1")),
  reason: /could be made to run it/,
  honest: (world) => verify(world, program("PUSH0")),
  reaches: "partial",
};

export default attack;

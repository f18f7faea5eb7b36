import { expect } from "vitest";
import type { Attack, AttackWorld, Program } from "./attack.ts";

const program = (base: number): Program => ({
  language: "Yul",
  sources: {
    "Shop.yul": `object "Shop" {
    code {
        let size := datasize("runtime")
        datacopy(0, dataoffset("runtime"), size)
        setimmutable(${base}, "fee", 0x602a60005260206000f3)
        return(0, size)
    }
    object "runtime" {
        code { mstore(0, loadimmutable("fee")) return(0, 32) }
    }
}`,
  },
  contract: "Shop.yul:Shop",
});

async function verify(world: AttackWorld, base: number) {
  const shop = program(base);
  const { creation } = await world.compile(shop);
  return world.verify(shop, await world.deploy(`0x${creation}`));
}

const attack: Attack = {
  title: "a constructor of Yul writes other code around the place of an immutable",
  attack: (world) => verify(world, 2),
  atMost: "partial",
  honest: (world) => verify(world, 0),
  reaches: "partial",
  check: (attacked, honest) => {
    expect(attacked.source).toMatchObject({ runtimeMatch: null });
    expect(attacked.proof).toMatchObject({ construction: "compared", runtimeCode: "foreign" });
    expect(honest.proof).toMatchObject({ immutables: "compared", runtimeCode: "compiled" });
  },
};

export default attack;

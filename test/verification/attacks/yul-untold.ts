import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

/** With two objects in it, solc does not say which one is its runtime code. */
const program: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code {
    codecopy(0, sub(codesize(), 32), 32)
    sstore(0, mload(0))
    datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
    return(0, datasize("Runtime"))
  }
  object "Other" { code { selfdestruct(caller()) } }
  object "Runtime" { code { mstore(0, sload(0)) return(0, 32) } }
}`,
  },
  contract: "Till.yul:Till",
};

const attack: Attack = {
  title: "of Yul without runtime code in the output, any code that the creation holds stands there",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${creation.slice(-22)}`));
  },
  reason: /The compiler gives no runtime code of Till/,
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${word(7)}`));
  },
  reaches: "partial",
  check: (_attacked, { source, proof }) => {
    expect(source).toMatchObject({ constructorArguments: `0x${word(7)}`, runtimeMatch: null });
    expect(proof).toMatchObject({ construction: "compared", runtimeCode: "compiled" });
  },
};

export default attack;

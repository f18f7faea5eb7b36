import { expect } from "vitest";
import type { Attack, Program } from "./attack.ts";
import { word } from "./attack-world.ts";
import { HIDDEN } from "./yul-runs-on.ts";

/** The last instruction of the author's own swallows the STOP behind it. */
const program: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" { code { sstore(0, caller()) verbatim_0i_0o(hex"5f60") } }`,
  },
  contract: "Till.yul:Till",
};

const plain: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code {
    codecopy(0, sub(codesize(), 32), 32)
    sstore(0, mload(0))
    datacopy(0, dataoffset("Runtime"), datasize("Runtime"))
    return(0, datasize("Runtime"))
  }
  object "Runtime" { code { mstore(0, verbatim_0i_1o(hex"5f")) return(0, 32) } }
}`,
  },
  contract: "Till.yul:Till",
};

const attack: Attack = {
  title: "Yul code with instructions of its own runs into what follows it",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}${HIDDEN}`));
  },
  reason: /might run the data behind it/,
  honest: async (world) => {
    const { creation } = await world.compile(plain);
    const standing = await world.deploy(`0x${creation}${word(7)}`);
    return world.verify(plain, standing, { arguments: word(7) });
  },
  reaches: "partial",
  // The code on chain is the compiled one, however it came there.
  check: (_attacked, { proof }) => expect(proof).toMatchObject({ construction: "unknown" }),
};

export default attack;

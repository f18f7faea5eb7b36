import { hexConcat } from "../../../src/core/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.26",
  sources: {
    "Returner.sol": `pragma solidity 0.4.26;
contract Returner {
    uint256 public count;
    function run(uint256 place) public { count += 1; if (place > 0) leave(place); }
    function leave(uint256 place) internal { assembly { place swap2 pop } }
}`,
  },
  contract: "Returner.sol:Returner",
};

const attack: Attack = {
  title: "old assembly writes over the place that a function returns to: into a hash",
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

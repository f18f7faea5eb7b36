import { hexConcat } from "../../../src/core/evm/hex.ts";
import type { Attack, Program } from "./attack.ts";
import { metadataOf, text, withoutMetadata } from "./attack-world.ts";

const program: Program = {
  compiler: "0.4.26",
  sources: {
    "Caller.sol": `pragma solidity ^0.4.0;
contract Caller {
    function() internal next;
    uint256 public count;
    constructor() public { next = step; }
    function step() internal { count += 1; }
    function choose(uint256 place) external { assembly { sstore(next_slot, place) } }
    function run() external { next(); }
}`,
  },
  contract: "Caller.sol:Caller",
};
/** Compilers that do not know the setting ignore it. */
const disguised: Program = { ...program, settings: { viaIR: true } };

const attack: Attack = {
  title:
    "a function kept in storage can be set to a hash that nobody vouches for: not by way of the IR",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const hash = "5b33ff".padEnd(64, "0");
    const metadata = metadataOf(`65${text("bzzr0")}5820${hash}`, 1);
    return world.verify(
      disguised,
      await world.predeploy(hexConcat(withoutMetadata(runtime), metadata)),
    );
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reason: /could be made to run it/,
};

export default attack;

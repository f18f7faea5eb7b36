import type { Attack, AttackWorld, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

/** What it runs takes as much as it is given, or a word more: its place to return to is then a word of the caller's. */
function callerOf(taken: "" | "uint256 added"): Program {
  return {
    sources: {
      "Caller.sol": `pragma solidity 0.8.28;
contract Caller {
    uint256 public count;
    function step(${taken}) internal { count += ${taken === "" ? "1" : "added"}; }
    function seen(function(${taken.split(" ")[0]}) internal given)
        internal pure returns (function() internal made)
    {
        assembly { made := given }
    }
    function run(uint256 place) external { uint256 kept = place; seen(step)(); count += kept; }
}`,
    },
    contract: "Caller.sol:Caller",
  };
}

/** As it is after a change of a comment alone, with a hash that could be run. */
async function verifyWithOtherHash(world: AttackWorld, program: Program) {
  const { creation, runtime } = await world.compile(program);
  const hash = runtime.slice(-86, -22);
  return world.verify(
    program,
    await world.deploy(replace(creation, hash, "5b33ff".padEnd(64, "0"))),
  );
}

const attack: Attack = {
  title: "a function that takes more than it is given returns to a place that the caller chose",
  attack: (world) => verifyWithOtherHash(world, callerOf("uint256 added")),
  honest: (world) => verifyWithOtherHash(world, callerOf("")),
  reaches: "partial",
  reason: /could be made to run it/,
};

export default attack;

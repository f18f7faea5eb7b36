import type { Attack, AttackWorld, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

/** It runs what the assembly makes of a function: of the source, or of a number. */
function callerWith(value: "given" | "place"): Program {
  return {
    sources: {
      "Caller.sol": `pragma solidity 0.8.28;
contract Caller {
    uint256 public count;
    function step() internal { count += 1; }
    function seen(function() internal given, uint256 place)
        internal pure returns (function() internal view made)
    {
        assembly { made := ${value} }
    }
    function run(uint256 place) external view { seen(step, place)(); }
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
  title: "a number becomes a function, and may be the place of a hash that nobody vouches for",
  attack: (world) => verifyWithOtherHash(world, callerWith("place")),
  honest: (world) => verifyWithOtherHash(world, callerWith("given")),
  reaches: "partial",
  reason: /could be made to run it/,
};

export default attack;

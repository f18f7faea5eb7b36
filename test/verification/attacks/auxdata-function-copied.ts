import type { Program } from "./attack.ts";
import { codeInHash } from "./into-hash.ts";

/** It runs the assembly's version of a function: of the source, or of a number. */
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

export default codeInHash(
  "a number becomes a function, and may be the place of a hash that nobody vouches for",
  {
    hostile: callerWith("place"),
    honest: callerWith("given"),
  },
);

import type { Program } from "./attack.ts";
import { codeInHash } from "./into-hash.ts";

/** It calls a function that takes as many words as given, or one more: its return address is then a word of the caller's. */
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

export default codeInHash(
  "a function that takes more than it is given returns to a place that the caller chose",
  {
    hostile: callerOf("uint256 added"),
    honest: callerOf(""),
  },
);

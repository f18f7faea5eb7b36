import { codeInOldHash } from "./into-hash.ts";

export default codeInOldHash(
  "old assembly writes over the place that a function returns to: into a hash",
  {
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
  },
);

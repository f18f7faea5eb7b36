import { codeInOldHash } from "./into-hash.ts";

export default codeInOldHash(
  "old assembly jumps wherever it is told to, also into a hash that nobody vouches for",
  {
    compiler: "0.4.26",
    sources: {
      "Jumper.sol": `pragma solidity 0.4.26;
contract Jumper {
    uint256 public count;
    function run(uint256 place) public { if (place > 0) assembly { jump(place) } count += 1; }
}`,
    },
    contract: "Jumper.sol:Jumper",
  },
);

import { codeInOldHash } from "./into-hash.ts";

export default codeInOldHash(
  "old assembly jumps into a hash also where the compiler writes its trees in another form",
  {
    compiler: "0.4.11",
    sources: {
      "Jumper.sol": `pragma solidity 0.4.11;
contract Jumper {
    uint256 public count;
    function run(uint256 place) { if (place > 0) assembly { jump(place) } count += 1; }
}`,
    },
    contract: "Jumper.sol:Jumper",
  },
);

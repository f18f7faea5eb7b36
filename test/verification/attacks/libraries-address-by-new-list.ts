import { linkedMaker } from "./linked-maker.ts";

export default linkedMaker({
  title:
    "the address of a library is code, and a new list of functions without a variable leads to it",
  body: `function poke(uint256 place) internal pure returns (uint256) {
        assembly { mstore(sub(mload(64), 32), place) }
        return 0;
    }
    function run(uint256 place) external { (new function() internal[](1))[poke(place)](); }`,
});

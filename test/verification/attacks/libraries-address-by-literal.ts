import { linkedMaker } from "./linked-maker.ts";

export default linkedMaker({
  title: "the address of a library is code, and a list of functions without a variable leads to it",
  body: `function step() internal {}
    function poke(uint256 place) internal pure returns (uint256) {
        assembly { mstore(sub(mload(64), 64), place) }
        return 0;
    }
    function run(uint256 place) external { [step, step][poke(place)](); }`,
});

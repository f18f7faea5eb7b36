import type { Program } from "./attack.ts";

/** JUMPDEST, 1000 into slot 0, and back. */
export const MINT = "5b6103e85f5556";

/** A maker whose constructor runs what stands at the place in its argument, unless that is 0, and a child that it may make. */
export function jumpingMaker({ makesChild }: { makesChild: boolean }): Program {
  const source = `pragma solidity 0.8.28;
contract Child {
    uint256 public count = 1;
}
contract Maker {
    uint256 public supply;
    constructor(uint256 place) {
        function() internal next = step;
        if (place != 0) assembly { next := place }
        next();
        ${makesChild ? "new Child();" : ""}
    }
    function step() internal {}
}`;
  return { sources: { "Maker.sol": source }, contract: "Maker.sol:Maker" };
}

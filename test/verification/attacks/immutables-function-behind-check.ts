import type { Attack, Program } from "./attack.ts";
import { fill, word } from "./attack-world.ts";

const program: Program = {
  sources: {
    "Vault.sol": `pragma solidity 0.8.28;
contract Vault {
    address owner;
    uint256 public sweeps;
    function() internal immutable hook;
    constructor() payable { hook = note; }
    function note() internal { sweeps += 1; }
    function sweep() public {
        require(msg.sender == owner);
        sweeps = 0xc0ffee;
        payable(msg.sender).transfer(address(this).balance);
    }
    function run() external { hook(); }
}`,
  },
  contract: "Vault.sol:Vault",
};

const attack: Attack = {
  title:
    "a function kept in an immutable begins behind the check of another one, its constructor not known",
  attack: async (world) => {
    const { runtime, immutables } = await world.compile(program);
    const behind = runtime.lastIndexOf("5b", runtime.indexOf("62c0ffee"));
    const code = fill(runtime, immutables, word(behind / 2));
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    const { address } = await world.deploy(`0x${creation}`);
    return world.verify(program, { address });
  },
  reason: /no value of function/,
};

export default attack;

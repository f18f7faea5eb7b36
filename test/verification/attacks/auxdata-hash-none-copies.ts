import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

const program: Program = {
  settings: { metadata: { bytecodeHash: "none" } },
  sources: {
    "Bank.sol": `pragma solidity 0.8.28;
contract Bank {
    bytes constant SEAL = hex"a164736f6c634300081c000a00112233445566778899aabbccddeeff00112233445566778899a164736f6c634300081c000a";
    function seal() external pure returns (bytes memory) { return SEAL; }
}`,
  },
  contract: "Bank.sol:Bank",
};

const attack: Attack = {
  title:
    "a constant repeats the metadata that the compiler writes without a hash, and is another one on chain",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const planted = "a164736f6c634300081c000a0011";
    return world.verify(
      program,
      await world.predeploy(replace(runtime, planted, "a164736f6c634300081b000a0011")),
    );
  },
  honest: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${runtime}`));
  },
  reaches: "partial",
};

export default attack;

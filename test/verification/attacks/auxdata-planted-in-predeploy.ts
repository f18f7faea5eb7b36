import type { Attack, Program } from "./attack.ts";
import { replace } from "./attack-world.ts";

const program: Program = {
  settings: { metadata: { appendCBOR: false } },
  sources: {
    "Bank.sol": `pragma solidity 0.8.28;
contract Bank {
    bytes constant SEAL = hex"a2646970667358221220aabbccddeeff00112233445566778899aabbccdd000000000000000000000000000064736f6c634300081c0033";
    function pay() external payable {
        bytes memory seal = SEAL;
        address payee;
        assembly { payee := shr(96, mload(add(seal, 42))) }
        payable(payee).transfer(msg.value);
    }
}`,
  },
  contract: "Bank.sol:Bank",
};

const attack: Attack = {
  title: "the same, where no creation is known",
  attack: async (world) => {
    const { runtime } = await world.compile(program);
    const code = replace(runtime, "aabbccddeeff00112233", "66666666666666666666");
    return world.verify(program, await world.predeploy(code));
  },
  honest: async (world) => {
    const { runtime } = await world.compile(program);
    return world.verify(program, await world.predeploy(`0x${runtime}`));
  },
  reaches: "partial",
};

export default attack;

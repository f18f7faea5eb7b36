import { createRequire } from "node:module";
import type { Hex } from "viem";

/** Compiler of the tests' contracts: the one that the product brings. */
export const COMPILER = { release: "0.8.37", version: "v0.8.37+commit.f401782d" };

/** The file that every vault imports. */
export const OWNED = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

abstract contract Owned {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }
}
`;

/** A contract of two files with constructor arguments and immutables; no two names have the same code. */
export function vault(name: string): string {
  return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {Owned} from "./Owned.sol";

contract ${name} is Owned {
    string public constant NAME = "${name}";
    uint256 public immutable limit;
    mapping(address => uint256) public held;

    constructor(address owner_, uint256 limit_) Owned(owner_) {
        limit = limit_;
    }

    function hold() external payable {
        require(msg.value <= limit, "${name}: too much");
        held[msg.sender] += msg.value;
    }
}
`;
}

/** Arguments of the vaults' constructor: an owner and a limit. */
export const ARGUMENTS = ["0x00000000000000000000000000000000000000A1", "1000"] as const;
/** The same as the ABI encodes it. */
export const ENCODED_ARGUMENTS = `0x${"a1".padStart(64, "0")}${"3e8".padStart(64, "0")}`;

interface Solc {
  compile(input: string): string;
}

/** A vault as the product's compiler makes it: standard JSON input, and the creation code without its arguments. */
export function compiledVault(
  name: string,
  settings: object = {},
): { input: string; creationCode: Hex } {
  const file = `src/${name}.sol`;
  const input = JSON.stringify({
    language: "Solidity",
    sources: { [file]: { content: vault(name) }, "src/Owned.sol": { content: OWNED } },
    settings: { ...settings, outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  });
  const product = new URL("../../package.json", import.meta.url);
  const solc = createRequire(product)("solc") as Solc;
  const { contracts } = JSON.parse(solc.compile(input)) as {
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
  };
  return { input, creationCode: `0x${contracts[file]?.[name]?.evm.bytecode.object}` };
}

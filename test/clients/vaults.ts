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

/** What the vaults are constructed with: an owner and a limit. */
export const ARGUMENTS = ["0x00000000000000000000000000000000000000A1", "1000"] as const;
/** The same as the ABI encodes it. */
export const ENCODED_ARGUMENTS = `0x${"a1".padStart(64, "0")}${"3e8".padStart(64, "0")}`;

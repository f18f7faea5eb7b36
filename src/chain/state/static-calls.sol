// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Multicall3's aggregate3 with calls that cannot change anything: what one contract does is not seen by the next. Each may
/// fail, and has its share of the gas. No contract can make the group fail, or cost more than a transaction may cost: one
/// that needs more, or answers more, than fits into a group has failed, also one that hides that a call inside it needed more.
/// A failed call returns one byte if it used up most of its share. Compiled into static-calls.ts.
contract StaticCalls {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    /// What all calls together may use, however much the node gives: as much as a transaction (EIP-7825).
    uint256 constant GAS = 2 ** 24;
    /// Bytes of the longest answer. Room for more would cost gas by the square.
    uint256 constant LONGEST = 2048;

    function aggregate3(Call[] calldata calls) external view returns (Result[] memory results) {
        results = new Result[](calls.length);
        // What is kept gives the answers back, also where the node has no more than a transaction may use.
        uint256 kept = gasleft() / 8;
        if (gasleft() > GAS + kept) kept = gasleft() - GAS;
        for (uint256 i = 0; i < calls.length; i++) {
            address target = calls[i].target;
            bytes memory callData = calls[i].callData;
            uint256 left = gasleft();
            uint256 share = left > kept ? (left - kept) / (calls.length - i) : 0;
            bool success;
            bytes memory returned;
            assembly ("memory-safe") {
                success := staticcall(share, target, add(callData, 32), mload(callData), 0, 0)
                let used := sub(left, gas())
                let size := returndatasize()
                if or(gt(size, LONGEST), gt(used, sub(share, div(share, 4)))) { success := 0 }
                if iszero(success) { size := gt(used, div(share, 2)) }
                returned := mload(64)
                mstore(64, add(returned, and(add(size, 63), not(31))))
                mstore(returned, size)
                mstore(add(returned, 32), 0)
                if success { returndatacopy(add(returned, 32), 0, size) }
            }
            results[i] = Result(success, returned);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Multicall3's aggregate3 with calls that cannot change anything: what one contract does is not seen by the next. Each may
/// fail, and has its share of the gas. Compiled into static-calls.ts.
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

    function aggregate3(Call[] calldata calls) external view returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) =
                calls[i].target.staticcall{gas: gasleft() / (calls.length - i)}(calls[i].callData);
        }
    }
}

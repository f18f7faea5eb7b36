// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Makes calls that cannot change anything: what one contract does is not seen by the next. Each has its share of the gas.
/// Compiled into static-calls.ts.
contract StaticCalls {
    struct Call {
        address target;
        bytes data;
    }

    struct Result {
        bool success;
        bytes returned;
    }

    function callEach(Call[] calldata calls) external view returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returned) =
                calls[i].target.staticcall{gas: gasleft() / (calls.length - i)}(calls[i].data);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// What stands behind the proxy: its state lives there.
contract Counter {
    uint256 public count;

    event Counted(address indexed by, uint256 count);

    function increment() external payable returns (uint256) {
        count++;
        emit Counted(msg.sender, count);
        return count;
    }
}

/// Its successor: counts in steps of any size.
contract SteppingCounter is Counter {
    function incrementBy(uint256 step) external payable returns (uint256) {
        count += step;
        emit Counted(msg.sender, count);
        return count;
    }
}

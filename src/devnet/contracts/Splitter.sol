// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Passes coins on by calls inside calls; some of the inner ones revert, and one function always does.
contract Splitter {
    event Split(uint256 parts, uint256 value);
    event Refused(uint256 depth, bytes reason);

    error TooDeep(uint256 depth);

    receive() external payable {}

    /// Sends each receiver an equal part; the rest stays here.
    function split(address payable[] calldata receivers) external payable {
        uint256 part = msg.value / receivers.length;
        for (uint256 i = 0; i < receivers.length; i++) {
            (bool ok,) = receivers[i].call{value: part}("");
            require(ok, "Splitter: receiver refused");
        }
        emit Split(receivers.length, msg.value);
    }

    /// Calls itself `depth` times, each time passing on half of the value; what is left goes to `receiver`. The
    /// innermost call reverts when `fails`, and the one around it goes on all the same.
    function nest(uint256 depth, address payable receiver, bool fails) external payable {
        if (depth == 0) {
            if (fails) revert TooDeep(depth);
            return;
        }
        uint256 half = msg.value / 2;
        try this.nest{value: half}(depth - 1, receiver, fails) {}
        catch (bytes memory reason) {
            emit Refused(depth, reason);
        }
        (bool ok,) = receiver.call{value: msg.value - half}("");
        require(ok, "Splitter: receiver refused");
    }

    /// Fails after an inner transfer that is thereby undone.
    function fail(address payable receiver) external payable {
        (bool ok,) = receiver.call{value: msg.value}("");
        require(ok, "Splitter: receiver refused");
        revert("Splitter: this call always fails");
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// What the workshop makes.
contract Box {
    address public immutable maker = msg.sender;
    uint256 public content;

    constructor(uint256 content_) payable {
        content = content_;
    }

    function fill(uint256 content_) external payable {
        content = content_;
    }
}

/// A factory: by CREATE, by CREATE2, and by EIP-1167 clones.
contract Workshop {
    event Made(address indexed box, string how);

    function make(uint256 content) external payable returns (address box) {
        box = address(new Box{value: msg.value}(content));
        emit Made(box, "create");
    }

    function makeAt(bytes32 salt, uint256 content) external payable returns (address box) {
        box = address(new Box{salt: salt, value: msg.value}(content));
        emit Made(box, "create2");
    }

    function clone(address original, uint256 content) external payable returns (address box) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", original, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly {
            box := create(0, add(code, 0x20), mload(code))
        }
        require(box != address(0), "Workshop: clone failed");
        Box(box).fill{value: msg.value}(content);
        emit Made(box, "clone");
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An EIP-1967 proxy: the admin upgrades it, every other call is delegated.
contract Proxy {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 private constant ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    constructor(address implementation) {
        _set(ADMIN, msg.sender);
        emit AdminChanged(address(0), msg.sender);
        _upgrade(implementation);
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == _get(ADMIN), "Proxy: only the admin upgrades");
        _upgrade(implementation);
    }

    fallback() external payable {
        _delegate(_get(IMPLEMENTATION));
    }

    receive() external payable {}

    function _upgrade(address implementation) private {
        require(implementation.code.length > 0, "Proxy: no code there");
        _set(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    function _delegate(address implementation) private {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    function _get(bytes32 slot) private view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }

    function _set(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }
}

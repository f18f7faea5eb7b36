// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Runs lists of small operations given as call data; a list may call another machine with a list of its own, so that
/// call trees of every shape can be written (or drawn at random) outside of Solidity.
contract Machine {
    enum Kind {
        Call, // goes on when the callee fails
        CallOrRevert, // fails with the callee's revert data
        DelegateCall,
        StaticCall,
        CallCode,
        Create,
        Create2,
        SelfDestruct,
        Log,
        Revert,
        RevertWithReason,
        RevertWithError,
        Panic,
        Invalid,
        BurnGas,
        Store
    }

    struct Operation {
        Kind kind;
        address target;
        uint256 value;
        uint256 gasLimit; // of calls; 0 gives all
        bytes32 salt;
        bytes data;
        bytes32[] topics;
    }

    error Refused(address by, uint256 code);

    uint256 public stored;

    constructor() payable {}

    receive() external payable {}

    function run(Operation[] calldata operations) external payable {
        for (uint256 i = 0; i < operations.length; i++) execute(operations[i]);
    }

    function execute(Operation calldata operation) private {
        Kind kind = operation.kind;
        bytes memory data = operation.data;
        uint256 value = operation.value;
        bytes32 salt = operation.salt;
        address target = operation.target;
        uint256 limit = operation.gasLimit == 0 ? gasleft() : operation.gasLimit;
        bool success = true;
        if (kind == Kind.Call || kind == Kind.CallOrRevert) {
            assembly {
                success := call(limit, target, value, add(data, 32), mload(data), 0, 0)
            }
            if (!success && kind == Kind.CallOrRevert) {
                assembly {
                    returndatacopy(0, 0, returndatasize())
                    revert(0, returndatasize())
                }
            }
        } else if (kind == Kind.DelegateCall) {
            assembly {
                success := delegatecall(limit, target, add(data, 32), mload(data), 0, 0)
            }
        } else if (kind == Kind.StaticCall) {
            assembly {
                success := staticcall(limit, target, add(data, 32), mload(data), 0, 0)
            }
        } else if (kind == Kind.CallCode) {
            assembly {
                success := callcode(limit, target, value, add(data, 32), mload(data), 0, 0)
            }
        } else if (kind == Kind.Create) {
            assembly {
                pop(create(value, add(data, 32), mload(data)))
            }
        } else if (kind == Kind.Create2) {
            assembly {
                pop(create2(value, add(data, 32), mload(data), salt))
            }
        } else if (kind == Kind.SelfDestruct) {
            assembly {
                selfdestruct(target)
            }
        } else if (kind == Kind.Log) {
            log(data, operation.topics);
        } else if (kind == Kind.Revert) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        } else if (kind == Kind.RevertWithReason) {
            revert(string(data));
        } else if (kind == Kind.RevertWithError) {
            revert Refused(target, value);
        } else if (kind == Kind.Panic) {
            assert(false);
        } else if (kind == Kind.Invalid) {
            assembly {
                invalid()
            }
        } else if (kind == Kind.BurnGas) {
            while (true) stored++;
        } else {
            stored = value;
        }
    }

    function log(bytes memory data, bytes32[] calldata topics) private {
        uint256 count = topics.length;
        assembly {
            let start := add(data, 32)
            let size := mload(data)
            let first := calldataload(topics.offset)
            let second := calldataload(add(topics.offset, 32))
            let third := calldataload(add(topics.offset, 64))
            let fourth := calldataload(add(topics.offset, 96))
            switch count
            case 0 { log0(start, size) }
            case 1 { log1(start, size, first) }
            case 2 { log2(start, size, first, second) }
            case 3 { log3(start, size, first, second, third) }
            default { log4(start, size, first, second, third, fourth) }
        }
    }
}

/// Creates a child in its constructor, pays it, and calls it: a creation inside a creation.
contract Nest {
    Machine public immutable child;

    constructor() payable {
        child = new Machine{value: msg.value / 2}();
    }
}

/// Its constructor always fails, after it created and paid a child: the child never was.
contract BrokenNest {
    constructor() payable {
        new Machine{value: msg.value}();
        revert("no nest");
    }
}

/// EIP-1167 clones of any implementation, by CREATE and by CREATE2.
contract Cloner {
    event Cloned(address indexed clone);

    function code(address implementation) public pure returns (bytes memory) {
        return
            abi.encodePacked(
                hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
                implementation,
                hex"5af43d82803e903d91602b57fd5bf3"
            );
    }

    function clone(address implementation, bytes calldata initialization) external returns (address made) {
        bytes memory creation = code(implementation);
        assembly {
            made := create(0, add(creation, 32), mload(creation))
        }
        start(made, initialization);
    }

    function clone2(address implementation, bytes32 salt, bytes calldata initialization) external returns (address made) {
        bytes memory creation = code(implementation);
        assembly {
            made := create2(0, add(creation, 32), mload(creation), salt)
        }
        start(made, initialization);
    }

    function start(address made, bytes calldata initialization) private {
        require(made != address(0), "clone exists");
        if (initialization.length > 0) {
            (bool success, ) = made.call(initialization);
            require(success, "initialization failed");
        }
        emit Cloned(made);
    }
}

/// EIP-1967 proxy whose implementation anybody may change.
contract Proxy {
    event Upgraded(address indexed implementation);

    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation, bytes memory initialization) {
        set(implementation);
        if (initialization.length > 0) {
            (bool success, ) = implementation.delegatecall(initialization);
            require(success, "initialization failed");
        }
    }

    function upgradeTo(address implementation) external {
        set(implementation);
    }

    function set(address implementation) private {
        assembly {
            sstore(SLOT, implementation)
        }
        emit Upgraded(implementation);
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

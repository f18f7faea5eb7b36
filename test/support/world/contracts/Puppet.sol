// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Answers calls with whatever bytes it was told, and emits whatever it is told: a token of any malformed kind.
/// A selector that it was not told about fails.
contract Puppet {
    enum Mode {
        Revert,
        Answer,
        BurnGas
    }

    struct Script {
        Mode mode;
        bytes prefix;
        bytes unit; // repeated behind the prefix
        uint256 times;
    }

    mapping(bytes4 => Script) private scripts;

    function teach(bytes4 selector, Mode mode, bytes calldata prefix, bytes calldata unit, uint256 times) external {
        scripts[selector] = Script(mode, prefix, unit, times);
    }

    function emitLog(bytes32[] calldata topics, bytes calldata data_) external {
        bytes memory data = data_;
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

    fallback() external {
        Script storage script = scripts[msg.sig];
        if (script.mode == Mode.Revert) revert("not taught");
        if (script.mode == Mode.BurnGas) {
            // Takes all gas of the call, as an endless loop would, at once.
            assembly {
                invalid()
            }
        }
        bytes memory prefix = script.prefix;
        bytes memory unit = script.unit;
        uint256 times = script.times;
        bytes memory answer = new bytes(prefix.length + unit.length * times);
        uint256 at = 0;
        for (uint256 i = 0; i < prefix.length; i++) answer[at++] = prefix[i];
        // Doubling copies keep a long answer within the gas of a call.
        uint256 begin = at;
        for (uint256 i = 0; i < unit.length && times > 0; i++) answer[at++] = unit[i];
        assembly {
            let body := add(add(answer, 32), begin)
            let done := sub(at, begin)
            let total := sub(mload(answer), begin)
            for {} and(gt(done, 0), lt(done, total)) {} {
                let size := done
                if gt(size, sub(total, done)) { size := sub(total, done) }
                mcopy(add(body, done), body, size)
                done := add(done, size)
            }
            return(add(answer, 32), mload(answer))
        }
    }
}

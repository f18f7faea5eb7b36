// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A token whose balances, supply, facts and standard are whatever it is told, with any log or none.
contract Odd {
    uint256 public kind;
    string public name;
    uint256 private places;
    uint256 private supply;
    mapping(address => mapping(uint256 => uint256)) private held;
    mapping(uint256 => address) private owners;

    struct Log {
        bytes32[] topics;
        bytes data;
    }

    constructor(uint256 kind_, string memory name_, uint256 places_) {
        become(kind_, name_, places_);
    }

    function become(uint256 kind_, string memory name_, uint256 places_) public {
        (kind, name, places) = (kind_, name_, places_);
    }

    /// Sets what the parties hold of an id (0: of the whole), and the supply.
    function set(address[] calldata parties, uint256 id, uint256[] calldata amounts, uint256 supply_, Log[] calldata logs) external {
        for (uint256 i; i < parties.length; i++) held[parties[i]][id] = amounts[i];
        supply = supply_;
        emitAll(logs);
    }

    /// As `set`, where what changes is not named by the call.
    function setHidden(bytes calldata xored, Log[] calldata logs) external {
        (address[] memory parties, uint256[] memory amounts, uint256 supply_) =
            abi.decode(xored, (address[], uint256[], uint256));
        for (uint256 i; i < parties.length; i++) held[address(~uint160(parties[i]))][0] = amounts[i];
        supply = supply_;
        emitAll(logs);
    }

    function give(uint256 id, address owner, Log[] calldata logs) external {
        if (owners[id] != address(0)) held[owners[id]][0]--;
        if (owner != address(0)) held[owner][0]++;
        owners[id] = owner;
        emitAll(logs);
    }

    /// Lists ids from 100 alone.
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256 id) {
        for (id = 100; id < 108; id++) {
            if (owners[id] != owner) continue;
            if (index == 0) return id;
            index--;
        }
        revert();
    }

    function emitAll(Log[] calldata logs) private {
        for (uint256 i; i < logs.length; i++) {
            bytes32[] calldata t = logs[i].topics;
            bytes memory data = logs[i].data;
            uint256 count = t.length;
            bytes32 a = count > 0 ? t[0] : bytes32(0);
            bytes32 b = count > 1 ? t[1] : bytes32(0);
            bytes32 c = count > 2 ? t[2] : bytes32(0);
            bytes32 d = count > 3 ? t[3] : bytes32(0);
            assembly {
                let at := add(data, 32)
                let size := mload(data)
                switch count
                case 1 { log1(at, size, a) }
                case 2 { log2(at, size, a, b) }
                case 3 { log3(at, size, a, b, c) }
                case 4 { log4(at, size, a, b, c, d) }
            }
        }
    }

    function decimals() external view returns (uint256) {
        require(kind == 20);
        return places;
    }

    function totalSupply() external view returns (uint256) {
        require(kind != 1155);
        return supply;
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(kind != 1155);
        return held[owner][0];
    }

    /// Answers of no id 0.
    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        require(kind == 1155 && id > 0);
        return held[owner][id];
    }

    function ownerOf(uint256 id) external view returns (address) {
        require(kind == 721 && owners[id] != address(0));
        return owners[id];
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        require(kind != 20);
        return id == 0x01ffc9a7 || (kind == 1155 && id == 0xd9b67a26) || (kind == 721 && id == 0x80ac58cd);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// ERC-721 and ERC-1155 tokens whose owners change by more than their Transfers.

abstract contract Unique {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(uint256 => address) internal owners;
    mapping(uint256 => bool) internal seen;
    mapping(address => uint256) internal counts;

    constructor(string memory called) {
        name = called;
        symbol = called;
    }

    function supportsInterface(bytes4 id) external view virtual returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) public view virtual returns (address) {
        require(owners[id] != address(0), "no such id");
        return owners[id];
    }

    function balanceOf(address a) public view virtual returns (uint256) {
        return counts[a];
    }

    /// Gives the id to somebody, or to nobody, whoever had it.
    function set(uint256 id, address to) internal returns (address from) {
        from = owners[id];
        if (from != address(0)) counts[from]--;
        else totalSupply++;
        if (to != address(0)) counts[to]++;
        else totalSupply--;
        owners[id] = to;
    }

    function put(uint256 id, address to) public virtual {
        seen[id] = true;
        if (to == address(0) && owners[id] == address(0)) return;
        log(set(id, to), to, id);
    }

    function log(address from, address to, uint256 id) internal virtual {
        emit Transfer(from, to, id);
    }
}

/// Ids change hands by an event of its own, or without any.
contract Seizable is Unique("Seizable") {
    event Seized(uint256 id);

    function seize(uint256 id, address to, bool loud) external {
        if (!seen[id] || (to == address(0) && owners[id] == address(0))) return;
        set(id, to);
        if (loud) emit Seized(id);
    }

    function swap(uint256 a, uint256 b) external {
        if (owners[a] == address(0) || owners[b] == address(0)) return;
        (owners[a], owners[b]) = (owners[b], owners[a]);
    }
}

/// Names that lapse (as ENS'): ownerOf refuses then; balanceOf does not notice, or does.
contract Names is Unique("Names") {
    mapping(uint256 => uint256) internal until;
    bool internal counting;

    constructor(bool c) {
        counting = c;
    }

    function register(uint256 id, address to, uint256 blocks) external {
        until[id] = block.number + blocks;
        put(id, to);
    }

    function renew(uint256 id, uint256 blocks) external {
        until[id] = block.number + blocks;
    }

    function ownerOf(uint256 id) public view override returns (address) {
        require(block.number <= until[id], "lapsed");
        return super.ownerOf(id);
    }

    function balanceOf(address a) public view override returns (uint256 count) {
        if (!counting) return counts[a];
        for (uint256 id = 1; id <= 8; id++) {
            if (owners[id] == a && block.number <= until[id]) count++;
        }
    }
}

/// From before ERC-165 and indexed arguments (as CryptoKitties): an ownerOf of zero for what is not there.
contract Kitties is Unique("Kitties") {
    function supportsInterface(bytes4 id) external pure override returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9a20483d;
    }

    function ownerOf(uint256 id) public view override returns (address) {
        return owners[id];
    }

    function log(address from, address to, uint256 id) internal override {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly {
            let at := mload(0x40)
            mstore(at, from)
            mstore(add(at, 32), to)
            mstore(add(at, 64), id)
            log1(at, 96, topic)
        }
    }
}

/// Mints in ranges (ERC-2309).
contract Ranges is Unique("Ranges") {
    event ConsecutiveTransfer(uint256 indexed fromId, uint256 toId, address indexed from, address indexed to);

    uint256 internal next = 1;

    function mintRange(address to, uint256 n) external {
        for (uint256 i; i < n; i++) set(next + i, to);
        emit ConsecutiveTransfer(next, next + n - 1, address(0), to);
        next += n;
    }

    function drop(uint256 id) external {
        if (owners[id] != address(0)) set(id, address(0));
    }
}

abstract contract Several {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);

    mapping(uint256 => mapping(address => uint256)) internal kept;
    mapping(uint256 => bool) internal seen;

    function supportsInterface(bytes4 id) external view virtual returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function balanceOf(address a, uint256 id) public view virtual returns (uint256) {
        return kept[id][a];
    }

    function balanceOfBatch(address[] calldata a, uint256[] calldata ids) external view returns (uint256[] memory all) {
        all = new uint256[](a.length);
        for (uint256 i; i < a.length; i++) all[i] = balanceOf(a[i], ids[i]);
    }

    function mint(address to, uint256 id, uint256 n) public virtual {
        seen[id] = true;
        kept[id][to] += n;
        emit TransferSingle(msg.sender, address(0), to, id, n);
    }

    function mintTwo(address to, uint256 a, uint256 b, uint256 n) external {
        (seen[a], seen[b]) = (true, true);
        kept[a][to] += n;
        kept[b][to] += n;
        (uint256[] memory ids, uint256[] memory values) = (new uint256[](2), new uint256[](2));
        (ids[0], ids[1], values[0], values[1]) = (a, b, n, n);
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function send(address to, uint256 id, uint256 n) external {
        n = shift(msg.sender, to, id, n);
        emit TransferSingle(msg.sender, msg.sender, to, id, n);
    }

    function shift(address from, address to, uint256 id, uint256 n) internal returns (uint256) {
        if (n > kept[id][from]) n = kept[id][from];
        kept[id][from] -= n;
        kept[id][to] += n;
        return n;
    }
}

/// Units are moved by an event of its own, or without any; its first event looks like an ERC-20's.
contract Forced is Several {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Forced_(address from, address to, uint256 id, uint256 value);
    event Burnt(uint256 id);

    string public name = "Forced";
    string public symbol = "Forced";

    constructor(address first) {
        emit Transfer(address(0), first, 31);
    }

    function force(address from, address to, uint256 id, uint256 n, bool loud) external {
        n = shift(from, to, id, n);
        if (loud) emit Forced_(from, to, id, n);
    }

    function make(address to, uint256 id, uint256 n) external {
        if (seen[id]) kept[id][to] += n;
    }

    function burn(address from, uint256 id) external {
        kept[id][from] = 0;
        emit Burnt(id);
    }
}

/// Rebases each id, and lets some lapse.
contract Vouchers is Several {
    event Rebased(uint256 id, uint256 index);

    mapping(uint256 => uint256) internal index;
    mapping(uint256 => uint256) internal until;

    function balanceOf(address a, uint256 id) public view override returns (uint256) {
        if (until[id] > 0 && block.number > until[id]) return 0;
        return (kept[id][a] * (100 + index[id])) / 100;
    }

    function rebase(uint256 id, uint256 by, bool loud) external {
        index[id] += by;
        if (loud) emit Rebased(id, by);
    }

    function lapse(uint256 id, uint256 blocks) external {
        until[id] = block.number + blocks;
    }
}

/// Speaks ERC-721 and ERC-1155 (as some games' tokens do).
contract Dual is Several {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    mapping(uint256 => address) internal owners;

    function supportsInterface(bytes4 id) external pure override returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x80ac58cd;
    }

    function balanceOf(address a) external view returns (uint256 count) {
        for (uint256 id = 1; id <= 4; id++) if (owners[id] == a) count++;
    }

    function ownerOf(uint256 id) external view returns (address) {
        return owners[id];
    }

    function put(uint256 id, address to) external {
        emit Transfer(owners[id], to, id);
        if (owners[id] != address(0)) kept[id][owners[id]] = 0;
        owners[id] = to;
        kept[id][to] += 1;
        seen[id] = true;
    }
}

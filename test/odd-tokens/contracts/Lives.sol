// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// Contracts that become others, and those that call.

/// What may stand behind an address. Each keeps its holdings in slots of its own.
contract Life20 {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Seized(address from);

    mapping(bytes32 => mapping(address => uint256)) internal kept;
    mapping(bytes32 => uint256) internal supply;

    function key() internal view virtual returns (bytes32) {
        return "20";
    }

    function name() external view virtual returns (string memory) {
        return "Life20";
    }

    function symbol() external view virtual returns (string memory) {
        return "L20";
    }

    function decimals() external view virtual returns (uint8) {
        return 18;
    }

    function balanceOf(address a) external view virtual returns (uint256) {
        return kept[key()][a];
    }

    function totalSupply() external view virtual returns (uint256) {
        return supply[key()];
    }

    function mint(address to, uint256 n) external {
        kept[key()][to] += n;
        supply[key()] += n;
        emit Transfer(address(0), to, n);
    }

    function seize(address from) external {
        supply[key()] -= kept[key()][from];
        kept[key()][from] = 0;
        emit Seized(from);
    }

    function transfer(address to, uint256 n) external returns (bool) {
        if (n > kept[key()][msg.sender]) n = kept[key()][msg.sender];
        kept[key()][msg.sender] -= n;
        kept[key()][to] += n;
        emit Transfer(msg.sender, to, n);
        return true;
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

/// The same holdings, with other decimals, and twice as much of each.
contract Life6 is Life20 {
    function name() external pure override returns (string memory) {
        return "Life6";
    }

    function symbol() external pure override returns (string memory) {
        return "L6";
    }

    function decimals() external pure override returns (uint8) {
        return 6;
    }

    function balanceOf(address a) external view override returns (uint256) {
        return kept[key()][a] * 2;
    }

    function totalSupply() external view override returns (uint256) {
        return supply[key()] * 2;
    }
}

contract Life721 {
    uint256[100] internal apart;
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    mapping(uint256 => address) internal owners;
    mapping(address => uint256) internal counts;
    uint256 public totalSupply;

    function name() external pure returns (string memory) {
        return "Life721";
    }

    function symbol() external pure returns (string memory) {
        return "L721";
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function ownerOf(uint256 id) external view returns (address) {
        require(owners[id] != address(0));
        return owners[id];
    }

    function balanceOf(address a) external view returns (uint256) {
        return counts[a];
    }

    function put(uint256 id, address to) external {
        address from = owners[id];
        if (from != address(0)) counts[from]--;
        else totalSupply++;
        counts[to]++;
        owners[id] = to;
        emit Transfer(from, to, id);
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

contract Life1155 {
    uint256[200] internal apart;
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    mapping(uint256 => mapping(address => uint256)) internal kept;

    function name() external pure returns (string memory) {
        return "Life1155";
    }

    function symbol() external pure returns (string memory) {
        return "L1155";
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function balanceOf(address a, uint256 id) external view returns (uint256) {
        return kept[id][a];
    }

    function make(address to, uint256 id, uint256 n) external {
        kept[id][to] += n;
        emit TransferSingle(msg.sender, address(0), to, id, n);
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

abstract contract Forwarding {
    fallback() external payable {
        address to = target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    receive() external payable {}

    function target() internal view virtual returns (address);
}

contract Proxy is Forwarding {
    event Upgraded(address indexed implementation);

    bytes32 internal constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address to) {
        upgrade_(to, true);
    }

    /// With ERC-1967's event, or without.
    function upgrade_(address to, bool loud) public {
        assembly { sstore(SLOT, to) }
        if (loud) emit Upgraded(to);
    }

    function target() internal view override returns (address to) {
        assembly { to := sload(SLOT) }
    }
}

contract Beacon {
    event Upgraded(address indexed implementation);

    address public implementation;

    constructor(address to) {
        implementation = to;
    }

    function upgradeTo(address to, bool loud) external {
        implementation = to;
        if (loud) emit Upgraded(to);
    }
}

contract Beaconed is Forwarding {
    event BeaconUpgraded(address indexed beacon);

    bytes32 internal constant SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;

    constructor(address beacon) {
        assembly { sstore(SLOT, beacon) }
        emit BeaconUpgraded(beacon);
    }

    function target() internal view override returns (address) {
        address beacon;
        assembly { beacon := sload(SLOT) }
        return Beacon(beacon).implementation();
    }
}

/// Asks a registry that no standard knows (as proxies of the years before ERC-1967).
contract Registered is Forwarding {
    Beacon internal registry;

    constructor(Beacon r) {
        registry = r;
    }

    function target() internal view override returns (address) {
        return registry.implementation();
    }
}

/// ERC-2535 with one facet for each selector.
contract Diamond is Forwarding {
    struct FacetCut {
        address facet;
        uint8 action;
        bytes4[] selectors;
    }
    event DiamondCut(FacetCut[] cuts, address init, bytes data);

    mapping(bytes4 => address) internal facets;
    address internal otherwise;

    constructor(address to) {
        otherwise = to;
    }

    function cut(address facet, bytes4[] calldata selectors, bool loud) external {
        for (uint256 i; i < selectors.length; i++) facets[selectors[i]] = facet;
        if (!loud) return;
        FacetCut[] memory cuts = new FacetCut[](1);
        cuts[0] = FacetCut(facet, 1, selectors);
        emit DiamondCut(cuts, address(0), "");
    }

    function target() internal view override returns (address to) {
        to = facets[msg.sig];
        if (to == address(0)) to = otherwise;
    }
}

/// Creates what takes its code from here: the same address with other code.
contract Factory {
    event Created(address made);

    address public model;

    function make(bytes32 salt, address m) external {
        model = m;
        emit Created(address(new Phoenix{salt: salt}()));
    }

    function at(bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(type(Phoenix).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}

contract Phoenix {
    constructor() {
        bytes memory code = Factory(msg.sender).model().code;
        assembly { return(add(code, 32), mload(code)) }
    }
}

/// Calls for others, several at once, and what fails.
contract Router {
    address internal other;
    bytes internal data;
    uint256 internal depth;

    receive() external payable {}

    function exec(address to, bytes calldata input) public payable {
        (bool ok, ) = to.call{value: msg.value}(input);
        require(ok, "failed");
    }

    function execAll(address[] calldata to, bytes[] calldata inputs) external {
        for (uint256 i; i < to.length; i++) {
            (bool ok, ) = to[i].call(inputs[i]);
            ok;
        }
    }

    /// Does it, and takes it back.
    function undo(address to, bytes calldata input) external {
        try this.fail(to, input) {} catch {}
    }

    function fail(address to, bytes calldata input) external {
        exec(to, input);
        revert("taken back");
    }

    function onHook(address to, bytes calldata input) external {
        (other, data) = (to, input);
    }

    function onMoved(address, address) external {
        if (depth > 2 || other == address(0)) return;
        depth++;
        (bool ok, ) = other.call(data);
        ok;
        depth--;
    }
}

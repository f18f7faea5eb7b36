// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

// ERC-20 tokens whose balances change by more than their Transfers.

abstract contract Plain {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    mapping(address => uint256) internal kept;
    uint256 internal supply;

    constructor(string memory called) {
        name = called;
        symbol = called;
    }

    function decimals() public view virtual returns (uint8) {
        return 18;
    }

    function balanceOf(address a) public view virtual returns (uint256) {
        return kept[a];
    }

    function totalSupply() public view virtual returns (uint256) {
        return supply;
    }

    function mint(address to, uint256 n) public virtual {
        add(to, n);
        emit Transfer(address(0), to, n);
    }

    function transfer(address to, uint256 n) public virtual returns (bool) {
        move(msg.sender, to, n);
        return true;
    }

    function move(address from, address to, uint256 n) internal virtual {
        n = sub(from, n);
        add(to, n);
        emit Transfer(from, to, n);
    }

    function add(address to, uint256 n) internal {
        kept[to] += n;
        supply += n;
    }

    /// As much of it as there is.
    function sub(address from, uint256 n) internal returns (uint256) {
        if (n > kept[from]) n = kept[from];
        kept[from] -= n;
        supply -= n;
        return n;
    }
}

/// A stablecoin whose owner issues and redeems, and destroys what the blocked hold (as Tether's).
contract Issuer is Plain("Issuer") {
    event Issue(uint256 amount);
    event Redeem(uint256 amount);
    event DestroyedBlackFunds(address blocked, uint256 balance);

    address internal owner;

    constructor(address o) {
        owner = o;
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function issue(uint256 n) external {
        add(owner, n);
        emit Issue(n);
    }

    function redeem(uint256 n) external {
        emit Redeem(sub(owner, n));
    }

    function destroyBlackFunds(address a) external {
        emit DestroyedBlackFunds(a, sub(a, kept[a]));
    }
}

/// Changes without a word, and what is wrong in its words.
contract Quiet is Plain("Quiet") {
    event Gave(address[] to, uint256 each);
    event Note(bytes data);

    address[] internal list;

    function enlist(address a) external {
        list.push(a);
    }

    function give(address to, uint256 n) external {
        add(to, n);
    }

    function take(address from, uint256 n) external {
        sub(from, n);
    }

    function swap(address a, address b) external {
        (kept[a], kept[b]) = (kept[b], kept[a]);
    }

    /// Names neither in its arguments.
    function reassign(uint256 i, uint256 j) external {
        (address a, address b) = (list[i % list.length], list[j % list.length]);
        add(b, sub(a, kept[a]));
    }

    function wipe(uint256 i, uint256 note) external {
        address a = list[i % list.length];
        sub(a, kept[a]);
        if (note > 0) emit Note(abi.encodePacked(note));
    }

    function giveMany(address[] calldata to, uint256 each) external {
        for (uint256 i; i < to.length; i++) add(to[i], each);
        emit Gave(to, each);
    }

    /// Without a word to anybody's holdings.
    function phantom(address from, address to, uint256 n) external {
        emit Transfer(from, to, n);
    }

    function rename(string calldata to) external {
        name = to;
    }
}

/// Rebases by shares (as stETH).
contract Shares is Plain("Shares") {
    event TokenRebased(uint256 pooled);

    uint256 internal pooled;

    function balanceOf(address a) public view override returns (uint256) {
        return supply == 0 ? 0 : (kept[a] * pooled) / supply;
    }

    function totalSupply() public view override returns (uint256) {
        return pooled;
    }

    function mint(address to, uint256 n) public override {
        uint256 shares = supply == 0 ? n : (n * supply) / pooled;
        add(to, shares);
        pooled += n;
        emit Transfer(address(0), to, n);
    }

    function move(address from, address to, uint256 n) internal override {
        uint256 shares = sub(from, (n * supply) / pooled);
        add(to, shares);
        emit Transfer(from, to, n);
    }

    function report(uint256 change, bool loud) external {
        pooled += 1 + change;
        if (loud) emit TokenRebased(pooled);
    }

    function slash(uint256 part) external {
        pooled -= pooled / (2 + part);
        emit TokenRebased(pooled);
    }
}

/// Holds the index that another contract's balances follow.
contract Pool {
    event ReserveDataUpdated(uint256 index);

    uint256 public index = 1000;

    function accrue(uint256 n) external {
        index += 1 + n;
        emit ReserveDataUpdated(index);
    }
}

/// Its balances grow by what another contract says (as aTokens).
contract Indexed is Plain("Indexed") {
    Pool internal pool;

    constructor(Pool p) {
        pool = p;
    }

    function balanceOf(address a) public view override returns (uint256) {
        return (kept[a] * pool.index()) / 1000;
    }

    function totalSupply() public view override returns (uint256) {
        return (supply * pool.index()) / 1000;
    }
}

/// Streams by the second (as Superfluid's tokens).
contract Stream is Plain("Stream") {
    event FlowUpdated(address indexed from, address indexed to, int256 rate);

    mapping(address => int256) internal rate;
    mapping(address => int256) internal base;
    mapping(address => uint256) internal since;

    function balanceOf(address a) public view override returns (uint256) {
        int256 now_ = base[a] + rate[a] * int256(block.timestamp - since[a]);
        return now_ < 0 ? 0 : uint256(now_);
    }

    function settle(address a) internal {
        base[a] = int256(balanceOf(a));
        since[a] = block.timestamp;
    }

    function mint(address to, uint256 n) public override {
        settle(to);
        base[to] += int256(n);
        supply += n;
        emit Transfer(address(0), to, n);
    }

    function move(address from, address to, uint256 n) internal override {
        settle(from);
        settle(to);
        if (int256(n) > base[from]) n = uint256(base[from]);
        base[from] -= int256(n);
        base[to] += int256(n);
        emit Transfer(from, to, n);
    }

    function flow(address from, address to, int256 r) external {
        settle(from);
        settle(to);
        rate[from] -= r;
        rate[to] += r;
        emit FlowUpdated(from, to, r);
    }
}

/// Held until a block only.
contract Lapse is Plain("Lapse") {
    mapping(address => uint256) internal until;

    function balanceOf(address a) public view override returns (uint256) {
        return block.number > until[a] ? 0 : kept[a];
    }

    function grant(address to, uint256 n, uint256 blocks) external {
        until[to] = block.number + blocks;
        mint(to, n);
    }

    function prolong(address to, uint256 blocks) external {
        until[to] = block.number + blocks;
    }
}

/// Loses a thousandth with each block (demurrage), and counts its supply likewise.
contract Melting is Plain("Melting") {
    uint256 internal born = block.number;

    function left(uint256 n) internal view returns (uint256) {
        uint256 age = (block.number - born) % 1000;
        return (n * (1000 - age)) / 1000;
    }

    function balanceOf(address a) public view override returns (uint256) {
        return left(kept[a]);
    }

    function totalSupply() public view override returns (uint256) {
        return left(supply);
    }
}

/// Takes a fee that its Transfer does not name.
contract Fee is Plain("Fee") {
    address internal sink;

    constructor(address s) {
        sink = s;
    }

    function move(address from, address to, uint256 n) internal override {
        n = sub(from, n);
        uint256 fee = n / 20;
        add(to, n - fee);
        add(sink, fee / 2);
        emit Transfer(from, to, n);
    }
}

/// Gives a part of each transfer to all holders (as SafeMoon).
contract Reflection is Plain("Reflection") {
    uint256 internal total;

    function rate() internal view returns (uint256) {
        return total == 0 ? 1e18 : supply / total;
    }

    function balanceOf(address a) public view override returns (uint256) {
        return kept[a] / rate();
    }

    function totalSupply() public view override returns (uint256) {
        return total;
    }

    function mint(address to, uint256 n) public override {
        uint256 r = rate();
        add(to, n * r);
        total += n;
        emit Transfer(address(0), to, n);
    }

    function move(address from, address to, uint256 n) internal override {
        if (n > balanceOf(from)) n = balanceOf(from);
        uint256 r = rate();
        sub(from, n * r);
        add(to, (n - n / 10) * r);
        emit Transfer(from, to, n - n / 10);
    }
}

/// A security whose controller moves and redeems (ERC-1644, ERC-1594), and whose blocked hold nothing.
contract Security is Plain("Security") {
    event ControllerTransfer(address controller, address indexed from, address indexed to, uint256 value, bytes data, bytes operatorData);
    event Redeemed(address indexed operator, address indexed from, uint256 value, bytes data);
    event AddedBlackList(address user);

    mapping(address => bool) internal blocked;

    function balanceOf(address a) public view override returns (uint256) {
        return blocked[a] ? 0 : kept[a];
    }

    function controllerTransfer(address from, address to, uint256 n) external {
        n = sub(from, n);
        add(to, n);
        emit ControllerTransfer(msg.sender, from, to, n, "because", "");
    }

    function redeemFrom(address from, uint256 n) external {
        emit Redeemed(msg.sender, from, sub(from, n), "");
    }

    function block_(address a, bool is_) external {
        blocked[a] = is_;
        if (is_) emit AddedBlackList(a);
    }
}

/// A coin wrapped (as WETH9), its supply what it has.
contract Wrapped is Plain("Wrapped") {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    function totalSupply() public view override returns (uint256) {
        return address(this).balance;
    }

    receive() external payable {
        deposit(msg.sender);
    }

    function deposit(address to) public payable {
        kept[to] += msg.value;
        emit Deposit(to, msg.value);
    }

    function withdraw(uint256 n) external {
        if (n > kept[msg.sender]) n = kept[msg.sender];
        kept[msg.sender] -= n;
        payable(msg.sender).transfer(n);
        emit Withdrawal(msg.sender, n);
    }

    function move(address from, address to, uint256 n) internal override {
        if (n > kept[from]) n = kept[from];
        kept[from] -= n;
        kept[to] += n;
        emit Transfer(from, to, n);
    }
}

/// The coin as a token (as Celo's, Polygon's 0x1010, Moonbeam's precompile).
contract Mirror is Plain("Mirror") {
    function balanceOf(address a) public view override returns (uint256) {
        return a.balance;
    }

    function announce(address from, address to) external {
        emit Transfer(from, to, 0);
    }
}

/// Its balances cannot always be read.
contract Flaky is Plain("Flaky") {
    uint256 internal mode;
    mapping(address => bool) internal poisoned;

    function set(uint256 m) external {
        mode = m;
    }

    function poison(address a, bool is_) external {
        poisoned[a] = is_;
    }

    function give(address to, uint256 n) external {
        add(to, n);
    }

    function balanceOf(address a) public view override returns (uint256) {
        if (poisoned[a]) revert("poisoned");
        if (mode == 1) revert("paused");
        if (mode == 2) assembly { return(0, 0) }
        if (mode == 3) assembly { return(0, 31) }
        if (mode == 4) while (true) {}
        if (mode == 5 && block.number % 2 == 1) revert("odd");
        if (mode == 6) assembly { invalid() }
        return kept[a];
    }
}

/// Everybody has some of it, and its logs are of all shapes.
contract Spam is Plain("Spam") {
    event Strange(address indexed a, uint256 indexed b, bytes32 indexed c, bytes data);

    function balanceOf(address) public pure override returns (uint256) {
        return 1000;
    }

    function airdrop(address[] calldata to) external {
        for (uint256 i; i < to.length; i++) emit Transfer(address(this), to[i], 1000);
    }

    function odd(address a, uint256 salt) external {
        bytes memory data = new bytes(32 * 40);
        for (uint256 i; i < 40; i++) {
            uint256 word = uint160(uint256(keccak256(abi.encode(salt, i))));
            assembly { mstore(add(add(data, 32), mul(i, 32)), word) }
        }
        emit Strange(a, salt, bytes32(uint256(uint160(a))), data);
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly {
            log1(0, 0, topic)
            log2(0, 32, topic, a)
            log3(0, 0, topic, a, a)
            log3(0, 31, topic, a, not(0))
            log3(0, 32, topic, 0, 0)
        }
    }
}

/// Locked and decaying by the second, without any Transfer (as veCRV).
contract Escrow is Plain("Escrow") {
    event Deposit(address indexed provider, uint256 value, uint256 locktime);

    mapping(address => uint256) internal end;

    function balanceOf(address a) public view override returns (uint256) {
        return block.timestamp >= end[a] ? 0 : (kept[a] * (end[a] - block.timestamp)) / 1000;
    }

    function lock(address a, uint256 n, uint256 seconds_) external {
        add(a, n);
        end[a] = block.timestamp + seconds_;
        emit Deposit(a, n, end[a]);
    }
}

interface IHook {
    function onMoved(address from, address to) external;
}

/// Calls its hook between a transfer's halves (as ERC-777 does).
contract Hooked is Plain("Hooked") {
    IHook internal hook;

    constructor(IHook h) {
        hook = h;
    }

    function move(address from, address to, uint256 n) internal override {
        n = sub(from, n);
        try hook.onMoved(from, to) {} catch {}
        add(to, n);
        emit Transfer(from, to, n);
    }
}

/// Fungible and not (as ERC-404's first): a whole unit is an id.
contract Hybrid is Plain("Hybrid") {
    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);

    mapping(uint256 => address) internal owners;

    function ownerOf(uint256 id) external view returns (address) {
        require(owners[id] != address(0));
        return owners[id];
    }

    function mint(address to, uint256 n) public override {
        add(to, n);
        emit ERC20Transfer(address(0), to, n);
        hand(address(0), to, n);
    }

    function move(address from, address to, uint256 n) internal override {
        n = sub(from, n);
        add(to, n);
        emit ERC20Transfer(from, to, n);
        hand(from, to, n);
    }

    function hand(address from, address to, uint256 n) internal {
        uint256 id = 1 + (n % 8);
        if (owners[id] != from) return;
        owners[id] = to;
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly { log4(0, 0, topic, from, to, id) }
    }
}

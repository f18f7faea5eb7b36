// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An ordinary ERC-20 that anybody may mint; initialised by a function so that proxies and clones can carry it.
contract Fungible {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        initialize(name_, symbol_, decimals_);
    }

    function initialize(string memory name_, string memory symbol_, uint8 decimals_) public {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function balanceOf(address owner) public view virtual returns (uint256) {
        return held[owner];
    }

    function mint(address to, uint256 value) external virtual {
        totalSupply += value;
        held[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(uint256 value) external {
        held[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) internal virtual {
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Keeps a hundredth of each transfer without an event of its own: transfers do not add up to balances.
contract FeeOnTransfer is Fungible {
    address public constant COLLECTOR = address(0xFeeC0);

    constructor() Fungible("Toll", "TOLL", 18) {}

    function move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        held[from] -= value;
        held[to] += value - fee;
        held[COLLECTOR] += fee;
        emit Transfer(from, to, value);
    }
}

/// Every balance is a share of a pool that grows and shrinks; `rebase` has an event, but no transfers.
contract Rebasing is Fungible {
    event Rebased(uint256 factor);

    uint256 public factor = 1000;

    constructor() Fungible("Tide", "TIDE", 9) {}

    function balanceOf(address owner) public view override returns (uint256) {
        return (held[owner] * factor) / 1000;
    }

    function rebase(uint256 factor_) external {
        totalSupply = (totalSupply * factor_) / factor;
        factor = factor_;
        emit Rebased(factor_);
    }

    function mint(address to, uint256 value) external override {
        totalSupply += (value * factor) / 1000;
        held[to] += value;
        emit Transfer(address(0), to, (value * factor) / 1000);
    }
}

/// Mints without a transfer event, once with a word about it and once in silence.
contract SilentMint is Fungible {
    event Minted(address owner, uint256 value);

    constructor() Fungible("Hush", "HUSH", 18) {}

    function mintSilently(address to, uint256 value) external {
        totalSupply += value;
        held[to] += value;
    }

    function mintWithOtherEvent(address to, uint256 value) external {
        totalSupply += value;
        held[to] += value;
        emit Minted(to, value);
    }
}

/// The largest supply that a token can have.
contract Maximal is Fungible {
    constructor(address owner) Fungible("Maximum", "MAX", 255) {
        totalSupply = type(uint256).max;
        held[owner] = type(uint256).max;
        emit Transfer(address(0), owner, type(uint256).max);
    }
}

/// Wrapped coin: deposits and withdrawals change balances, and are no transfers.
contract WrappedCoin is Fungible {
    event Deposit(address indexed owner, uint256 value);
    event Withdrawal(address indexed owner, uint256 value);

    constructor() Fungible("Wrapped Coin", "WCOIN", 18) {}

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        totalSupply += msg.value;
        held[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        held[msg.sender] -= value;
        totalSupply -= value;
        emit Withdrawal(msg.sender, value);
        (bool success, ) = msg.sender.call{value: value}("");
        require(success, "refused");
    }
}

/// name and symbol are bytes32, as in tokens older than the standard's final form.
contract WordNamed {
    event Transfer(address indexed from, address indexed to, uint256 value);

    bytes32 public constant name = "Old Maker";
    bytes32 public constant symbol = "OMK";
    uint256 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }
}

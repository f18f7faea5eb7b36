// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A token whose holders' balances grow with an index (as staked coins do).
contract Rebasing {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Rebased(uint256 index);

    uint256 public decimals = 18;
    uint256 private index = 1_000;
    uint256 private shares;
    mapping(address => uint256) private sharesOf;

    function give(uint160 first, uint256 count) external {
        for (uint160 i; i < count; i++) {
            sharesOf[address(first + i)] = 1_000;
            emit Transfer(address(0), address(first + i), 1_000 * index);
        }
        shares += 1_000 * count;
    }

    function rebase() external {
        emit Rebased(++index);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return sharesOf[owner] * index;
    }

    function totalSupply() external view returns (uint256) {
        return shares * index;
    }
}

/// A token that logs whatever it likes.
contract Spam {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Visit(address indexed visitor);

    uint256 public decimals = 0;
    uint256 public totalSupply = 1;

    function start(address owner) external {
        emit Transfer(address(0), owner, 1);
    }

    function poke(address visitor) external {
        emit Visit(visitor);
    }

    function balanceOf(address) external pure returns (uint256) {
        return 1;
    }
}

contract Spammer {
    Spam[] private spams;

    function make(uint256 count) external {
        for (uint256 i; i < count; i++) {
            Spam spam = new Spam();
            spam.start(address(uint160((1 << 156) + spams.length)));
            spams.push(spam);
        }
    }

    function pokeAll(address visitor) external {
        for (uint256 i; i < spams.length; i++) spams[i].poke(visitor);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An ERC-404 token: every whole one is an id as well. A few fish swim from one holder to the other, once.
contract Shoal {
    string public constant name = "Shoal";
    string public constant symbol = "SHOAL";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(uint256 id => address) public ownerOf;

    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);
    event ERC721Transfer(address indexed from, address indexed to, uint256 indexed id);

    constructor(address first, address second) {
        for (uint256 id = 1; id <= 3; id++) _move(address(0), first, id);
        _move(first, second, 2);
    }

    function _move(address from, address to, uint256 id) private {
        if (from == address(0)) totalSupply += 1 ether;
        else balanceOf[from] -= 1 ether;
        balanceOf[to] += 1 ether;
        ownerOf[id] = to;
        emit ERC20Transfer(from, to, 1 ether);
        emit ERC721Transfer(from, to, id);
    }
}

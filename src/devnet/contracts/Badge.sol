// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC721Receiver {
    function onERC721Received(address operator, address from, uint256 id, bytes calldata data)
        external
        returns (bytes4);
}

/// An ERC-721 token with metadata; anybody may mint an id that is free.
contract Badge {
    string public constant name = "Harbour Badge";
    string public constant symbol = "BADGE";
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(uint256 id => address) public getApproved;
    mapping(address account => mapping(address operator => bool)) public isApprovedForAll;
    mapping(uint256 id => address) private _owners;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = _owners[id];
        require(owner != address(0), "Badge: no such token");
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        return "data:application/json,{\"name\":\"Harbour Badge\"}";
    }

    function approve(address to, uint256 id) external {
        address owner = ownerOf(id);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], "Badge: not allowed");
        getApproved[id] = to;
        emit Approval(owner, to, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function mint(address to, uint256 id) external {
        require(to != address(0), "Badge: mint to the zero address");
        require(_owners[id] == address(0), "Badge: already minted");
        totalSupply++;
        _move(address(0), to, id);
    }

    function burn(uint256 id) external {
        _authorise(id);
        totalSupply--;
        _move(_owners[id], address(0), id);
    }

    function transferFrom(address from, address to, uint256 id) public {
        _authorise(id);
        require(_owners[id] == from && to != address(0), "Badge: wrong owner or receiver");
        _move(from, to, id);
    }

    function safeTransferFrom(address from, address to, uint256 id) external {
        safeTransferFrom(from, to, id, "");
    }

    function safeTransferFrom(address from, address to, uint256 id, bytes memory data) public {
        transferFrom(from, to, id);
        if (to.code.length == 0) return;
        bytes4 answer = IERC721Receiver(to).onERC721Received(msg.sender, from, id, data);
        require(answer == IERC721Receiver.onERC721Received.selector, "Badge: refused");
    }

    function _authorise(uint256 id) private view {
        address owner = ownerOf(id);
        require(
            msg.sender == owner || msg.sender == getApproved[id] || isApprovedForAll[owner][msg.sender],
            "Badge: not allowed"
        );
    }

    function _move(address from, address to, uint256 id) private {
        delete getApproved[id];
        _owners[id] = to;
        if (from != address(0)) balanceOf[from]--;
        if (to != address(0)) balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

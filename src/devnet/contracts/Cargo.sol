// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC1155Receiver {
    function onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes calldata data)
        external
        returns (bytes4);

    function onERC1155BatchReceived(
        address operator,
        address from,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external returns (bytes4);
}

/// An ERC-1155 token; anybody may mint to themselves.
contract Cargo {
    string public constant name = "Harbour Cargo";
    string public constant symbol = "CARGO";
    mapping(address account => mapping(uint256 id => uint256)) private _balances;
    mapping(address account => mapping(address operator => bool)) public isApprovedForAll;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);
    event URI(string value, uint256 indexed id);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256) external pure returns (string memory) {
        return "data:application/json,{\"name\":\"Harbour Cargo\"}";
    }

    function balanceOf(address account, uint256 id) public view returns (uint256) {
        return _balances[account][id];
    }

    function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory balances)
    {
        require(accounts.length == ids.length, "Cargo: lengths differ");
        balances = new uint256[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            balances[i] = _balances[accounts[i]][ids[i]];
        }
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function mint(uint256 id, uint256 value) external {
        _balances[msg.sender][id] += value;
        emit TransferSingle(msg.sender, address(0), msg.sender, id, value);
    }

    function mintBatch(uint256[] calldata ids, uint256[] calldata values) external {
        require(ids.length == values.length, "Cargo: lengths differ");
        for (uint256 i = 0; i < ids.length; i++) {
            _balances[msg.sender][ids[i]] += values[i];
        }
        emit TransferBatch(msg.sender, address(0), msg.sender, ids, values);
    }

    function burn(uint256 id, uint256 value) external {
        _balances[msg.sender][id] -= value;
        emit TransferSingle(msg.sender, msg.sender, address(0), id, value);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data)
        external
    {
        _authorise(from, to);
        _balances[from][id] -= value;
        _balances[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155Received(msg.sender, from, id, value, data);
        require(answer == IERC1155Receiver.onERC1155Received.selector, "Cargo: refused");
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external {
        _authorise(from, to);
        require(ids.length == values.length, "Cargo: lengths differ");
        for (uint256 i = 0; i < ids.length; i++) {
            _balances[from][ids[i]] -= values[i];
            _balances[to][ids[i]] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data);
        require(answer == IERC1155Receiver.onERC1155BatchReceived.selector, "Cargo: refused");
    }

    function _authorise(address from, address to) private view {
        require(from == msg.sender || isApprovedForAll[from][msg.sender], "Cargo: not allowed");
        require(to != address(0), "Cargo: transfer to the zero address");
    }
}

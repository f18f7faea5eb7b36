// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An ordinary ERC-721 that anybody may mint, burn and move, also several pieces together (ERC-2309).
contract Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ConsecutiveTransfer(
        uint256 indexed fromTokenId,
        uint256 toTokenId,
        address indexed fromAddress,
        address indexed toAddress
    );

    string public name = "Buoys";
    string public symbol = "BUOY";
    uint256 public totalSupply;
    mapping(uint256 => address) internal owners;
    mapping(address => uint256) public balanceOf;

    function supportsInterface(bytes4 id) external pure virtual returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) external view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "no such token");
    }

    function tokenURI(uint256) external pure returns (string memory) {
        return "http://127.0.0.1:1/never-fetched";
    }

    function mint(address to, uint256 id) external {
        require(owners[id] == address(0), "exists");
        totalSupply++;
        move(address(0), to, id);
    }

    function burn(uint256 id) external {
        require(owners[id] != address(0), "no such token");
        totalSupply--;
        move(owners[id], address(0), id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(owners[id] == from, "not the owner");
        move(from, to, id);
    }

    /// Mints the piece when nobody holds it, and moves it otherwise: never fails.
    function place(address to, uint256 id) external {
        if (owners[id] == address(0)) totalSupply++;
        move(owners[id], to, id);
    }

    /// Moves up to so many neighbours that the owner of the first one has; to nobody, it burns them.
    function placeMany(address to, uint256 first, uint256 most) external {
        address from = owners[first];
        require(from != address(0), "no such token");
        uint256 next = first;
        for (; next < first + most && owners[next] == from; next++) shift(from, to, next);
        if (to == address(0)) totalSupply -= next - first;
        emit ConsecutiveTransfer(first, next - 1, from, to);
    }

    function move(address from, address to, uint256 id) private {
        shift(from, to, id);
        emit Transfer(from, to, id);
    }

    function shift(address from, address to, uint256 id) private {
        if (from != address(0)) balanceOf[from]--;
        if (to != address(0)) balanceOf[to]++;
        owners[id] = to;
    }
}

/// An ERC-721 older than the standard's final form: its Transfer indexes nothing, and it knows no interfaces.
contract OldCollectible {
    event Transfer(address from, address to, uint256 tokenId);

    string public constant name = "Old Cats";
    string public constant symbol = "CAT";
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 id) external {
        totalSupply++;
        balanceOf[to]++;
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    function transfer(address to, uint256 id) external {
        address from = ownerOf[id];
        balanceOf[from]--;
        balanceOf[to]++;
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

/// An ordinary ERC-1155 without a name; anybody may mint, burn and move.
contract MultiToken {
    event TransferSingle(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256 id,
        uint256 value
    );
    event TransferBatch(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256[] ids,
        uint256[] values
    );

    mapping(address => mapping(uint256 => uint256)) public balanceOf;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function uri(uint256) external pure returns (string memory) {
        return "http://127.0.0.1:1/never-fetched/{id}";
    }

    function balanceOfBatch(
        address[] calldata owners,
        uint256[] calldata ids
    ) external view returns (uint256[] memory balances) {
        balances = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; i++) balances[i] = balanceOf[owners[i]][ids[i]];
    }

    function transfer(address from, address to, uint256 id, uint256 value) external {
        move(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function transferBatch(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) move(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
    }

    function move(address from, address to, uint256 id, uint256 value) private {
        if (from != address(0)) balanceOf[from][id] -= value;
        if (to != address(0)) balanceOf[to][id] += value;
    }
}

/// ERC-404: amounts and numbered pieces in one token, with events of their own names.
contract Hybrid {
    event ERC20Transfer(address indexed from, address indexed to, uint256 value);
    event ERC721Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public constant name = "Half Shells";
    string public constant symbol = "HALF";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public minted;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;

    function mint(address to) external {
        totalSupply += 1 ether;
        balanceOf[to] += 1 ether;
        ownerOf[++minted] = to;
        emit ERC20Transfer(address(0), to, 1 ether);
        emit ERC721Transfer(address(0), to, minted);
    }

    function transferAmount(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit ERC20Transfer(msg.sender, to, value);
    }

    function transferPiece(address to, uint256 id) external {
        address from = ownerOf[id];
        balanceOf[from] -= 1 ether;
        balanceOf[to] += 1 ether;
        ownerOf[id] = to;
        emit ERC20Transfer(from, to, 1 ether);
        emit ERC721Transfer(from, to, id);
    }
}

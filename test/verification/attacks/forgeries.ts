import { keccak256 } from "viem/utils";
import { word } from "./attack-world.ts";

/** In the order in which they are declared. */
export type Values = readonly (bigint | number)[];

/** A contract whose immutables its constructor sets, with values that it never leaves, and with some that it does. */
export interface Forgery {
  /** Declarations in front of the contract. */
  before?: string;
  bases?: string;
  variables: string;
  creation: string;
  forged: Values;
  /** Null: no honest values can be shown to be so. */
  honest: Values | null;
  viaIR?: boolean;
}

export const OWNER = 0xbadn << 100n;
const SHOP = BigInt(`0x${Buffer.from("shop").toString("hex").padEnd(64, "0")}`);
const FEE = "uint256 public immutable FEE; address public immutable OWNER;";
export const CONSTANT = { variables: FEE, forged: [9000, OWNER], honest: [30, OWNER] };

export const forgeries: Record<string, Forgery> = {
  "a constant beside an argument": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = 30; OWNER = o; }",
  },
  "the same by the IR": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = 30; OWNER = o; }",
    viaIR: true,
  },
  "two numbers in exchange": {
    variables: "uint256 public immutable HIGH; uint256 public immutable LOW;",
    creation: "constructor(uint256 a, uint256 b) { require(a < b); HIGH = b; LOW = a; }",
    forged: [5, 9],
    honest: [9, 5],
  },
  "bools that exclude each other": {
    variables:
      "bool public immutable OPEN; bool public immutable FREE; bool public immutable PAID;",
    creation: "constructor(bool o, bool f) { OPEN = o; FREE = f; PAID = o && !f; }",
    forged: [1, 1, 1],
    honest: [1, 0, 1],
  },
  "a text that must not be empty": {
    ...CONSTANT,
    creation: `string public name;
      constructor(string memory n, address o) { require(bytes(n).length > 0); name = n; FEE = 30; OWNER = o; }`,
  },
  "structs and lists": {
    variables: `struct P { address owner; uint256 cap; uint8[2] parts; } ${FEE}`,
    creation: `constructor(P memory p, P[] memory all) {
      require(all.length > 0); FEE = p.cap > 100 ? 100 : p.cap; OWNER = p.owner; }`,
    forged: [9000, OWNER],
    honest: [77, OWNER],
  },
  "checks of arguments, and a value that follows from one": {
    variables: `uint8 public immutable DECIMALS; ${FEE}`,
    creation: `constructor(address o, uint8 d) {
      require(o != address(0)); require(d > 0 && d <= 18); DECIMALS = d; FEE = 10 ** d; OWNER = o; }`,
    forged: [6, 10 ** 7, OWNER],
    honest: [6, 10 ** 6, OWNER],
  },
  "a bound": {
    variables: FEE,
    creation: "constructor(uint256 fee, address o) { require(fee <= 100); FEE = fee; OWNER = o; }",
    forged: [9000, OWNER],
    honest: [99, OWNER],
  },
  "values that belong together": {
    variables: "uint256 public immutable LEFT; uint256 public immutable RIGHT;",
    creation: "constructor(uint256 left) { LEFT = left; RIGHT = 100 - left; }",
    forged: [30, 30],
    honest: [30, 70],
  },
  "a constructor that fails with whatever it is given": {
    ...CONSTANT,
    creation: `constructor(bytes32 key) {
      require(keccak256(abi.encode(key)) == bytes32(uint256(1))); FEE = 30; OWNER = tx.origin; }`,
    honest: null,
  },
  "an endless constructor": {
    ...CONSTANT,
    creation:
      "constructor(uint8 n) { for (uint256 i = 0; i < 2 ** 250 + n; i++) {} FEE = 30; OWNER = tx.origin; }",
    honest: null,
  },
  "a constructor that no node may run for its size": {
    ...CONSTANT,
    creation: `constructor(address o) { bytes memory much = hex"${"5b".repeat(50_000)}"; FEE = much.length > 5 ? 30 : 0; OWNER = o; }`,
    honest: null,
  },
  "a value by gas that no transaction had": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = gasleft() > 900_000 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by the price of gas": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = tx.gasprice == 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by fields of the block": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = block.basefee == 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by the time": {
    variables: "uint256 public immutable START; address public immutable OWNER;",
    creation: "constructor(address o) { START = block.timestamp; OWNER = o; }",
    forged: [9000, OWNER],
    honest: null,
  },
  "a value by the sender": {
    variables: "address public immutable FEE; address public immutable OWNER;",
    creation: "constructor(address o) { FEE = msg.sender; OWNER = o; }",
    forged: [9000, OWNER],
    honest: null,
  },
  "a value by a balance": {
    ...CONSTANT,
    creation: "constructor(address o) { FEE = address(this).balance + 30; OWNER = o; }",
  },
  "what another contract says": {
    variables: `${FEE} address public immutable ORACLE;`,
    creation: "constructor(address o, Oracle a) { FEE = a.fee(); OWNER = o; ORACLE = address(a); }",
    forged: [9000, OWNER, 1],
    honest: null,
  },
  "bytes of two kinds": {
    variables: `bytes4 public immutable SIGN; ${FEE}`,
    creation: `constructor(bytes memory b, bytes4 s, address o) {
      require(b.length > 0 && s != 0); SIGN = s; FEE = 30; OWNER = o; }`,
    forged: [0xabcdef01n << 224n, 9000, OWNER],
    honest: [0xabcdef01n << 224n, 30, OWNER],
  },
  "a struct with texts and lists of structs in it": {
    variables: `struct Q { bool on; uint64 cap; } struct P { string name; Q[] parts; address owner; } ${FEE}`,
    creation: `constructor(P memory p) {
      require(bytes(p.name).length > 0 && p.parts.length > 0); FEE = p.parts[0].on ? 30 : 31; OWNER = p.owner; }`,
    forged: [9000, OWNER],
    honest: [31, OWNER],
  },
  "a list of a fixed size": {
    variables: FEE,
    creation: `constructor(uint16[3] memory fees, address[2] memory all) {
      require(fees[2] <= 100); FEE = fees[2]; OWNER = all[1]; }`,
    forged: [9000, OWNER],
    honest: [77, OWNER],
  },
  "immutables of a base, set by an argument of the base": {
    before:
      "abstract contract Base { uint256 public immutable FEE; address public immutable OWNER; constructor(uint256 f, address o) { FEE = f; OWNER = o; } }",
    bases: "is Base",
    variables: "",
    creation: "constructor(address o) Base(30, o) {}",
    forged: [9000, OWNER],
    honest: [30, OWNER],
  },
  "the hash of an argument": {
    variables: `bytes32 public immutable ID; ${FEE}`,
    creation: "constructor(address o) { ID = keccak256(abi.encode(o)); FEE = 30; OWNER = o; }",
    forged: [1n, 30, OWNER],
    honest: [BigInt(keccak256(`0x${word(OWNER)}`)), 30, OWNER],
  },
  "a value by the hash of the block before": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = blockhash(block.number - 1) == 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by the hash of a block further back": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = blockhash(block.number - 2) == 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by the hash of the oldest block that has one": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = blockhash(block.number > 256 ? block.number - 256 : 1) == 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by the hash of a block that has none yet": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = blockhash(block.number) != 0 || blockhash(block.number + 1) != 0 ? 9000 : 30; OWNER = o; }",
  },
  "a value by riches": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = (msg.sender.balance >> 127) == 1 || (tx.origin.balance >> 127) == 1 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
  "a value by fields of the block of which each is another in most blocks": {
    ...CONSTANT,
    creation: `constructor(address o) {
      FEE = block.prevrandao == 0 || block.gaslimit > 2 ** 40 || block.blobbasefee == 0 ? 9000 : 30; OWNER = o; }`,
    honest: null,
  },
  "types of its own": {
    before: "type Fee is uint16; enum Mode { A, B, C }",
    variables: "Mode public immutable MODE; Fee public immutable FEE;",
    creation: "constructor(Mode m) { MODE = m; FEE = Fee.wrap(m == Mode.C ? 50 : 30); }",
    forged: [2, 60],
    honest: [2, 50],
  },
  "values by a base, a library, a function, a declaration, and a short text": {
    before: `library Lib { function base() internal pure returns (uint256) { return 30; } }
      abstract contract Base { uint256 public immutable FEE; constructor() { FEE = fee(); }
      function fee() internal virtual returns (uint256); }`,
    bases: "is Base",
    variables:
      "uint256 public immutable TWICE = 2 * Lib.base(); bytes32 public immutable NAME; address public immutable OWNER;",
    creation: `constructor(address o) { NAME = "shop"; OWNER = o; }
      function fee() internal pure override returns (uint256) { return Lib.base(); }`,
    forged: [30, 61, SHOP, OWNER],
    honest: [30, 60, SHOP, OWNER],
  },
  "the hash of a given account's code": {
    variables: `bytes32 public immutable CODE; ${FEE}`,
    creation: "constructor(address o) { CODE = o.codehash; FEE = 30; OWNER = o; }",
    forged: [1, 30, OWNER],
    honest: [0, 30, OWNER],
  },
  "a sum of a loop behind a modifier": {
    variables: `modifier upTo(uint256 most, uint8 n) { require(n < most); _; } ${FEE}`,
    creation: `constructor(uint8 n, address o) upTo(100, n) {
      uint256 sum; for (uint256 i = 0; i < n; i++) sum += 3; FEE = sum; OWNER = o; }`,
    forged: [9000, OWNER],
    honest: [54, OWNER],
  },
  "the hash of a text, a bool, the chain and the length of the code": {
    variables: `bytes32 public immutable NAME = keccak256("shop"); bool public immutable FREE; ${FEE}`,
    creation: `constructor(address o) { uint256 size; assembly { size := add(codesize(), calldatasize()) }
      FREE = block.chainid == 0 || size > 100_000; FEE = FREE ? 9000 : 30; OWNER = o; }`,
    forged: [BigInt(keccak256("0x73686f70")), 1, 9000, OWNER],
    honest: [BigInt(keccak256("0x73686f70")), 0, 30, OWNER],
  },
  "a value by code that is there while no constructor runs": {
    ...CONSTANT,
    creation:
      "constructor(address o) { FEE = address(this).code.length > 0 ? 9000 : 30; OWNER = o; }",
    honest: null,
  },
};

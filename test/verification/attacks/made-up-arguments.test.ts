import { keccak256, stringToBytes } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { initCodeOf } from "../deployment.ts";
import type { AttackWorld, Program, Standing } from "./attack.ts";
import { overwrite, startAttackWorld, word } from "./attack-world.ts";

// Raw init code leaves compiled runtime code with immutables of its choice, and the chain holds no constructor arguments.

/** In the order in which they are declared. */
type Values = readonly (bigint | number)[];

interface Forgery {
  variables: string;
  creation: string;
  forged: Values;
  /** Null: no honest values can be shown to be so. */
  honest: Values | null;
  viaIR?: boolean;
}

const OWNER = 0xbadn << 100n;
const FEE = "uint256 public immutable FEE; address public immutable OWNER;";
const CONSTANT = { variables: FEE, forged: [9000, OWNER], honest: [30, OWNER] };
const ORACLE = "interface Oracle { function fee() external view returns (uint256); }";

const forgeries: Record<string, Forgery> = {
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
};

/** Returns 30 to every call. */
const TELLS_THIRTY: Hex = "0x601e60005260206000f3";

let world: AttackWorld & { stop(): Promise<void> };

beforeAll(async () => {
  world = await startAttackWorld();
});

afterAll(() => world.stop());

function programOf({ variables, creation, viaIR = false }: Forgery): Program {
  return {
    sources: {
      "Shop.sol": `pragma solidity 0.8.28;\n${ORACLE}\ncontract Shop { ${variables}\n${creation} }`,
    },
    settings: { viaIR, ...(viaIR && { optimizer: { enabled: true } }) },
    contract: "Shop.sol:Shop",
  };
}

async function initCodeWith(program: Program, values: Values): Promise<Hex> {
  const { runtime, immutables } = await world.compile(program);
  const ids = Object.keys(immutables).sort((left, right) => Number(left) - Number(right));
  const code = ids.reduce<Hex>(
    (filled, id, index) =>
      (immutables[id] ?? []).reduce<Hex>(
        (hex, { start }) => overwrite(hex, start, `0x${word(values[index] ?? 0)}`),
        filled,
      ),
    `0x${runtime}`,
  );
  return initCodeOf(code);
}

const WAYS: Record<string, (initCode: Hex) => Promise<Standing>> = {
  "by a transaction": (initCode) => world.deploy(initCode),
  "by a factory": (initCode) => world.deployByFactory(initCode),
};

describe.each(Object.keys(WAYS))("%s", (way) => {
  const deploy = (initCode: Hex) => (WAYS[way] ?? world.deploy)(initCode);

  test.each(Object.keys(forgeries))("%s", async (name) => {
    const it = forgeries[name] as Forgery;
    const program = programOf(it);
    const forged = await world.verify(
      program,
      await deploy(await initCodeWith(program, it.forged)),
    );
    expect(forged).toMatchObject({ level: "none" });
    expect(forged.reason).toMatch(/Another constructor ran|constructor arguments/);
    if (it.honest === null) return;
    const honest = await world.verify(
      program,
      await deploy(await initCodeWith(program, it.honest)),
    );
    expect(honest).toMatchObject({
      level: "partial",
      reason: "",
      proof: { construction: "unknown", immutables: "run", run: { outcome: "equal" } },
    });
  });

  test("what another contract says, honestly", async () => {
    const oracle = await world.put(TELLS_THIRTY);
    const program = programOf(forgeries["what another contract says"] as Forgery);
    const at = BigInt(oracle.address);
    const forged = await initCodeWith(program, [9000, OWNER, at]);
    expect(await world.verify(program, await deploy(forged))).toMatchObject({ level: "none" });
    const honest = await initCodeWith(program, [30, OWNER, at]);
    expect(await world.verify(program, await deploy(honest))).toMatchObject({ level: "partial" });
  });
});

test("a value by the origin of a transaction that a factory made the contract in", async () => {
  const program = programOf({
    ...CONSTANT,
    creation: "constructor(address o) { FEE = tx.origin == msg.sender ? 9000 : 30; OWNER = o; }",
  });
  const by = async (values: Values) =>
    world.verify(program, await world.deployByFactory(await initCodeWith(program, values)));
  expect(await by([9000, OWNER])).toMatchObject({ level: "none" });
});

test("arguments of the request that the chain does not hold prove a value that follows from them", async () => {
  const program = programOf({
    ...CONSTANT,
    variables: "uint256 public immutable LIMIT; bytes32 public immutable HASH;",
    creation:
      "constructor(uint256 l, string memory n) { LIMIT = 3 * l; HASH = keccak256(bytes(n)); }",
  });
  const initCode = await initCodeWith(program, [21, BigInt(keccak256(stringToBytes("Name")))]);
  const standing = await world.deploy(initCode);
  expect((await world.verify(program, standing)).reason).toMatch(
    /If it ran with others, send them/,
  );
  const text = `${Buffer.from("Name").toString("hex")}${"0".repeat(56)}`;
  const sent = (limit: number) => ({ arguments: `${word(limit)}${word(64)}${word(4)}${text}` });
  expect(await world.verify(program, standing, sent(7))).toMatchObject({
    level: "partial",
    proof: { construction: "unknown", immutables: "run" },
    source: { constructorArguments: null },
  });
  expect(await world.verify(program, standing, sent(8))).toMatchObject({ level: "none" });
});

test("a library that only the constructor needs has no address on chain to run it with", async () => {
  const program: Program = {
    sources: {
      "Shop.sol": `pragma solidity 0.8.28;
library Fees { function base() external pure returns (uint256) { return 30; } }
contract Shop { uint256 public immutable FEE; constructor() { FEE = Fees.base(); } }`,
    },
    contract: "Shop.sol:Shop",
  };
  const forged = await world.deploy(await initCodeWith(program, [9000]));
  expect((await world.verify(program, forged)).reason).toMatch(
    /Name the addresses of the libraries/,
  );
});

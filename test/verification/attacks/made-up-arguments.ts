import { getContractAddress, keccak256, stringToBytes } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lowerAddress } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { initCodeOf } from "../deployment.ts";
import type { AttackWorld, Program, Standing } from "./attack.ts";
import { overwrite, word } from "./attack-world.ts";
import { CONSTANT, type Forgery, forgeries, OWNER, type Values } from "./forgeries.ts";

// Raw init code leaves compiled runtime code with immutables of its choice, and the chain holds no constructor arguments.

const ORACLE = "interface Oracle { function fee() external view returns (uint256); }";
/** Returns 30 to every call. */
const TELLS_THIRTY: Hex = "0x601e60005260206000f3";

let world: AttackWorld & { stop(): Promise<void> };

/** Tries the forgeries, and what else made-up arguments could prove, on the chain of a node. */
export function tryForgeries(start: () => Promise<typeof world>): void {
  beforeAll(async () => {
    world = await start();
  });
  afterAll(() => world?.stop());
  describe.each(Object.keys(WAYS))("%s", (way) =>
    tryAll((initCode) => (WAYS[way] ?? world.deploy)(initCode), way === "by a transaction"),
  );
  tryEach();
}

type Shop = Pick<Forgery, "before" | "bases" | "variables" | "creation" | "viaIR">;

function programOf({ before = "", bases = "", variables, creation, viaIR = false }: Shop): Program {
  const shop = `contract Shop ${bases} { ${variables}\n${creation} }`;
  return {
    sources: { "Shop.sol": `pragma solidity 0.8.28;\n${ORACLE}\n${before}\n${shop}` },
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
  "by CREATE2": (initCode) => world.deployByCreate2(initCode),
};

function tryAll(deploy: (initCode: Hex) => Promise<Standing>, isSent: boolean): void {
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
    // The other contract may ask for the code of the factory, which cannot be run in its own place.
    const level = isSent ? "partial" : "none";
    expect(await world.verify(program, await deploy(honest))).toMatchObject({ level });
  });
}

/** Init codes of a shop whose FEE is 9000 where a condition holds, else 30: one that leaves each. */
async function shopWhere(condition: string, further: Partial<Shop> = {}) {
  const program = programOf({
    ...CONSTANT,
    creation: `constructor(address o) { FEE = ${condition} ? 9000 : 30; OWNER = o; }`,
    ...further,
  });
  const [forged, honest] = [9000, 30].map((fee) => initCodeWith(program, [fee, OWNER]));
  return { program, forged: (await forged) as Hex, honest: (await honest) as Hex };
}

/** Creates the init code behind it through a proxy, which runs CREATE with its calldata. */
const CREATE3: Hex =
  "0x6f67363d3d37363d34f03d5260086018f3600052601060106000f060323803806032600039600060009160006000855af100";

/** Deploys by a proxy that creates nothing else. */
async function deployByCreate3(creationCode: Hex): Promise<Standing> {
  const { address: from, transaction } = await world.deploy(hexConcat(CREATE3, creationCode));
  const creator = lowerAddress(getContractAddress({ from, nonce: 1n }));
  const address = lowerAddress(getContractAddress({ from: creator, nonce: 1n }));
  return { address, ...(transaction && { transaction }), factory: { creator, creationCode } };
}

const isOdd = (address: Hex) => BigInt(address) % 2n === 1n;

function tryEach(): void {
  test("a value by the address that CREATE2 made the contract at", async () => {
    const { program, forged, honest } = await shopWhere("uint160(address(this)) % 2 == 0");
    const by = async (initCode: Hex) =>
      world.verify(program, await world.deployByCreate2(initCode, isOdd));
    expect(await by(forged)).toMatchObject({ level: "none" });
    expect(await by(honest)).toMatchObject({ level: "partial" });
  });

  test.each(["address(this).code.length > 0", "address(this).codehash != 0"])(
    "a value by the address, and by what else no call at it gives: %s",
    async (code) => {
      const { program, forged } = await shopWhere(`uint160(address(this)) % 2 == 0 || ${code}`);
      const standing = await world.deployByCreate2(forged, isOdd);
      expect(await world.verify(program, standing)).toMatchObject({ level: "none" });
    },
  );

  test("a value by the address of a proxy that CREATE3 made the contract with", async () => {
    const { program, forged, honest } = await shopWhere("msg.sender.code.length == 0");
    const { creation } = await world.compile(program);
    const by = async (initCode: Hex) => world.verify(program, await deployByCreate3(initCode));
    expect(await by(`0x${creation}${word(OWNER)}`)).toMatchObject({ level: "full" });
    expect(await by(forged)).toMatchObject({ level: "none" });
    // The code of the proxy cannot be run in its own place.
    expect((await by(honest)).reason).toMatch(/as it was/);
    const plain = await shopWhere("tx.origin == msg.sender");
    const made = async (initCode: Hex) => deployByCreate3(initCode);
    expect(await world.verify(plain.program, await made(plain.forged))).toMatchObject({
      level: "none",
    });
    expect(await world.verify(plain.program, await made(plain.honest))).toMatchObject({
      level: "partial",
    });
  });

  test("a value by a part of the gas that all runs with powers of two have in common", async () => {
    const shopOf = (rest: number) =>
      programOf({
        variables: "uint256 public immutable FEE;",
        creation: `constructor() { uint256 g = gasleft() % 65536; FEE = g == ${rest} ? 9000 : g; }`,
      });
    // Each rest is a number of two bytes, so that the code remains of one length and price.
    const { creation } = await world.compile(shopOf(0xeeee));
    const [, seen = ""] =
      /7f([0-9a-f]{64})/.exec(await world.run(`0x${creation}`, 2n ** 24n)) ?? [];
    const program = shopOf(Number.parseInt(seen, 16));
    const forged = await world.deploy(await initCodeWith(program, [9000]));
    expect((await world.verify(program, forged)).reason).toMatch(/only with other gas/);
  });

  test("a value by the hash of the block before, as the chain's own contract has it (EIP-2935)", async () => {
    const history = "address(0x0000F90827F1C53a10cb7A02335B175320002935)";
    const { program, forged, honest } = await shopWhere(
      `abi.decode(hash(), (bytes32)) != blockhash(block.number - 1)`,
      {
        variables: `${CONSTANT.variables} function hash() internal view returns (bytes memory h) {
          (, h) = ${history}.staticcall(abi.encode(block.number - 1)); }`,
      },
    );
    expect(await world.verify(program, await world.deploy(forged))).toMatchObject({
      level: "none",
    });
    expect(await world.verify(program, await world.deploy(honest))).toMatchObject({
      level: "partial",
    });
  });

  const HASH_OF_FACTORY = keccak256("0x3660006000373660006000f060005260206000f3");

  test("a value by the origin of a transaction and the code of the factory", async () => {
    const condition = `tx.origin == msg.sender || msg.sender.codehash != ${HASH_OF_FACTORY}`;
    const { program, forged } = await shopWhere(condition);
    const standing = await world.deployByFactory(forged);
    expect(await world.verify(program, standing)).toMatchObject({ level: "none" });
  });

  test("the same, by the words of another contract", async () => {
    const helper: Program = {
      sources: {
        "Helper.sol": `pragma solidity 0.8.28; contract Helper { function isHigh(address who) external view returns (bool) {
        return tx.origin == who || who.codehash != ${HASH_OF_FACTORY}; } }`,
      },
      contract: "Helper.sol:Helper",
    };
    const { creation } = await world.compile(helper);
    const { address } = await world.deploy(`0x${creation}`);
    const { program, forged } = await shopWhere(`Helper(HELPER).isHigh(msg.sender)`, {
      before: `interface Helper { function isHigh(address) external view returns (bool); }
      address constant HELPER = address(uint160(0x00${address.slice(2)}));`,
    });
    const standing = await world.deployByFactory(forged);
    expect(await world.verify(program, standing)).toMatchObject({ level: "none" });
  });

  test("the contract's own address in the place of another one that CREATE would give it", async () => {
    const program = (friend: string) =>
      programOf({
        variables: "address public immutable OWNER;",
        creation: `constructor() { OWNER = address(uint160(0x00${friend.slice(2)})); }`,
      });
    // The factory's next contract, as a node that runs CREATE for it has it.
    const { address, factory } = await world.deployByCreate2(initCodeOf("0x00"));
    const creator = factory?.creator ?? address;
    for (const nonce of [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]) {
      const friend = getContractAddress({ from: creator, nonce }).toLowerCase();
      const shop = program(friend);
      const { runtime, immutables } = await world.compile(shop);
      // The init code copies its code, with ADDRESS in the place of the immutable.
      const slots = Object.values(immutables).flat();
      const stores = slots
        .map(({ start }) => `3061${start.toString(16).padStart(4, "0")}52`)
        .join("");
      const size = (runtime.length / 2).toString(16).padStart(4, "0");
      const length = (stores.length / 2 + 12).toString(16).padStart(2, "0");
      const code = `61${size}8060${length}600039${stores}6000f3`;
      const standing = await world.deployByCreate2(`0x${code}${runtime}`);
      expect(await world.verify(shop, standing)).toMatchObject({ level: "none" });
    }
  });

  test("an immutable that is called as the IR calls the address of a library", async () => {
    const program = programOf({
      variables: "uint256 public immutable library_deploy_address;",
      creation: "constructor() { library_deploy_address = 30; }",
    });
    for (const deploy of Object.values(WAYS)) {
      const of = async (value: number) =>
        world.verify(program, await deploy(await initCodeWith(program, [value])));
      expect(await of(9000)).toMatchObject({ level: "none" });
      expect(await of(30)).toMatchObject({ level: "partial", proof: { immutables: "run" } });
    }
  });

  test.each([false, true])(
    "a function that no argument leads to (by the IR: %s)",
    async (viaIR) => {
      const program = (last: string) =>
        programOf({
          variables: `function() internal immutable hook; uint256 public total;
        function one() internal { total += 1; } function two() internal { total += 2; }
        function drain() internal { payable(msg.sender).transfer(total); }
        function run(uint8 which) external { if (which == 1) one(); else if (which == 2) two(); else if (which == 3) drain(); else hook(); }`,
          creation: `constructor(uint8 n) { if (n == 0) hook = one; else if (n == 1) hook = two; else hook = ${last}; }`,
          viaIR,
        });
      const { creation } = await world.compile(program("drain"));
      const left = (n: number) => world.deploy(`0x${creation}${word(n)}`);
      expect(await world.verify(program("two"), await left(2))).toMatchObject({ level: "none" });
    },
  );

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
}

import { createRequire } from "node:module";
import { encodeFunctionData, keccak256, parseAbi, toFunctionSelector } from "viem";
import { expect, onTestFinished, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { createTestApp, TEST_CHAIN_ID } from "../../support/app.ts";
import { addressAt } from "../../support/build.ts";
import { initCodeOf } from "../deployment.ts";
import { startWorld } from "../world.ts";
import { word } from "./attack-world.ts";

// Contracts that are created at one address more than once, with other code, immutables or storage in the second life.

const SOURCE = `pragma solidity ^0.8.0;
contract Shop {
    uint256 public last;
    uint256 public immutable fee;
    constructor() { fee = last == 0 ? 30 : 9000; }
    function buy(uint256 amount) external { last = amount; }
    function end() external { selfdestruct(payable(msg.sender)); }
}
contract Maker {
    address public made;
    function create(bytes memory code) internal returns (address at) {
        assembly { at := create(0, add(code, 32), mload(code)) }
    }
    function attempt(bytes memory code) external { create(code); revert(); }
    function makeAfterAttempt(bytes memory first, bytes memory second) external {
        try this.attempt(first) {} catch {}
        made = create(second);
    }
    function make(bytes memory factory, uint256 salt, bytes memory code, bool ends) external {
        address by;
        assembly { by := create2(0, add(factory, 32), mload(factory), salt) }
        (, bytes memory back) = by.call(code);
        made = abi.decode(back, (address));
        if (ends) { Shop(made).end(); by.call(""); }
    }
}`;
const MAKER = parseAbi([
  "function makeAfterAttempt(bytes first, bytes second)",
  "function make(bytes factory, uint256 salt, bytes code, bool ends)",
]);
const BUY: Hex = `0xd96a094a${word(5)}`;
const END: Hex = "0xefbe1c1c";
/** Runs CREATE with its calldata; destroys itself without any. */
const FACTORY: Hex = "0x36156019573660006000373660006000f060005260206000f35b33ff";
const CREATE2_DEPLOYER: Address = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const MODEL = addressAt(30);

const INPUT = {
  language: "Solidity",
  sources: { "Shop.sol": { content: SOURCE } },
  settings: { evmVersion: "paris" },
};

function compile(name: string): Hex {
  const solc = createRequire(import.meta.url)("solc");
  const outputSelection = { "*": { [name]: ["evm.bytecode.object"] } };
  const input = { ...INPUT, settings: { ...INPUT.settings, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  return `0x${output.contracts["Shop.sol"][name].evm.bytecode.object}`;
}

/** Init code that leaves the code of another contract, so that it stays the same for any code left. */
function copyOf(contract: Address): Hex {
  const push = `73${contract.slice(2)}`;
  return `0x${push}3b8060006000${push}3c6000f3`;
}

const [shop, maker] = [compile("Shop"), compile("Maker")];

/** Starts a chain of a hard fork, with what makes and verifies shops on it. */
async function startLives(fork: string) {
  const world = await startWorld(["--hardfork", fork]);
  onTestFinished(() => world.stop());
  const { node } = world;
  const verifier = world.startVerifier();
  onTestFinished(() => verifier.close());
  const indexed = async () => world.indexer.reach((await world.chain.fetchHead()).hash);
  await indexed();
  const { app, close } = await createTestApp({ sql: world.sql, chain: world.chain, verifier });
  onTestFinished(close);
  const { address: by } = await node.deploy(maker);
  const honest = (await node.deploy(shop)).runtimeCode;
  const forged = honest.replaceAll(word(30), word(9000)) as Hex;
  expect(forged).not.toBe(honest);

  /** Has the maker make a shop; its address. */
  async function make(data: Hex): Promise<Address> {
    await node.send({ to: by, data });
    const made = { to: by, data: toFunctionSelector("made()") };
    const address = await node.request<Hex>("eth_call", made, "latest");
    return `0x${address.slice(26)}`;
  }

  return {
    node,
    honest,
    forged,
    makeAfterAttempt: (first: Hex, second: Hex) =>
      make(
        encodeFunctionData({ abi: MAKER, functionName: "makeAfterAttempt", args: [first, second] }),
      ),
    /** By a factory that has the same address and nonce again once it was destroyed. */
    make: (salt: number, code: Hex, ends = false) => {
      const args = [initCodeOf(FACTORY), BigInt(salt), code, ends] as const;
      return make(encodeFunctionData({ abi: MAKER, functionName: "make", args }));
    },
    factory: (salt: number) => create2AddressOf(by, salt, initCodeOf(FACTORY)),
    async inOneBlock(...transactions: { to: Address; data: Hex }[]): Promise<void> {
      const [from] = await node.request<Address[]>("eth_accounts");
      await node.request("evm_setAutomine", false);
      for (const transaction of transactions) {
        await node.request("eth_sendTransaction", { from, gas: "0x500000", ...transaction });
      }
      await node.request("evm_mine");
      await node.request("evm_setAutomine", true);
    },
    async verify(address: Address) {
      await indexed();
      const { body } = await app.inject({
        method: "POST",
        url: `/sourcify/v2/verify/${TEST_CHAIN_ID}/${address}`,
        headers: { "content-type": "application/json" },
        payload: JSON.stringify({
          stdJsonInput: INPUT,
          compilerVersion: "0.8.37+commit.f401782d",
          contractIdentifier: "Shop.sol:Shop",
        }),
      });
      const { verificationId } = JSON.parse(body);
      await verifier.wait(verificationId, 60_000);
      const { contract, error } = (
        await app.inject(`/sourcify/v2/verify/${verificationId}`)
      ).json();
      return {
        match: contract.match,
        creation: contract.creationMatch,
        reason: error?.message ?? "",
      };
    },
    /** What either dialect and Sourcify's API show. */
    async shown(address: Address) {
      await indexed();
      const ask = async (url: string) => (await app.inject(url)).json();
      const query = (action: string) => `module=contract&action=${action}&address=${address}`;
      return {
        abi: (await ask(`/api?${query("getabi")}`)).status,
        source: (await ask(`/v2/api?${query("getsourcecode")}`)).result[0].ContractName,
        sourcify: (await ask(`/sourcify/v2/contract/${TEST_CHAIN_ID}/${address}`)).match,
      };
    },
  };
}

const REFUSED = { match: null, reason: expect.stringContaining("Another constructor ran") };

test("storage of a life that ended in the block of the next one proves no value", async () => {
  const { node, honest, forged, inOneBlock, verify } = await startLives("shanghai");
  const twice = async (salt: number, second: Hex) => {
    const create = { to: CREATE2_DEPLOYER, data: hexConcat(`0x${word(salt)}`, copyOf(MODEL)) };
    const address = create2AddressOf(CREATE2_DEPLOYER, salt, copyOf(MODEL));
    await node.request("anvil_setCode", MODEL, honest);
    await node.send(create);
    await node.send({ to: address, data: BUY });
    await node.request("anvil_setCode", MODEL, second);
    await inOneBlock({ to: address, data: END }, create);
    expect(await node.request("eth_getCode", address, "latest")).toBe(second);
    return verify(address);
  };
  expect(await twice(100, forged)).toMatchObject(REFUSED);
  expect(await twice(101, honest)).toMatchObject({ match: "match", reason: "" });
});

test("a creation that failed is not that of another one at the same address", async () => {
  const { honest, forged, makeAfterAttempt, verify } = await startLives("cancun");
  const by = async (code: Hex) => verify(await makeAfterAttempt(shop, code));
  expect(await by(initCodeOf(forged))).toMatchObject(REFUSED);
  expect(await by(initCodeOf(honest))).toMatchObject({ match: "match", creation: null });
  expect(await by(shop)).toMatchObject({ match: "exact_match" });
});

test("a life of one transaction says nothing of the next one", async () => {
  const { node, honest, forged, make, verify } = await startLives("cancun");
  const after = async (salt: number, code: Hex) => {
    const address = await make(salt, shop, true);
    expect(await node.request("eth_getCode", address, "latest")).toBe("0x");
    expect(await make(salt, code)).toBe(address);
    return verify(address);
  };
  expect(await after(1, initCodeOf(forged))).toMatchObject(REFUSED);
  expect(await after(2, initCodeOf(honest))).toMatchObject({ match: "match", creation: null });
  expect(await after(3, shop)).toMatchObject({ match: "exact_match", creation: "exact_match" });
});

test("the same code of another constructor is not verified by that of the life before", async () => {
  const { node, honest, make, verify, shown, factory } = await startLives("shanghai");
  const address = await make(1, shop);
  expect(await verify(address)).toMatchObject({ match: "exact_match", creation: "exact_match" });
  const exact = { abi: "1", source: "Shop", sourcify: "exact_match" };
  expect(await shown(address)).toEqual(exact);
  await node.send({ to: address, data: END });
  await node.send({ to: factory(1), data: "0x" });
  expect(await shown(address)).toEqual(exact);
  // Stores 9000 in the slot of `last`.
  expect(await make(1, storing(honest))).toBe(address);
  expect(await shown(address)).toEqual({ abi: "0", source: "", sourcify: null });
  expect(await verify(address)).toMatchObject({ match: "match", creation: null });
});

function create2AddressOf(from: Address, salt: number, initCode: Hex): Address {
  return `0x${keccak256(hexConcat("0xff", from, `0x${word(salt)}`, keccak256(initCode))).slice(26)}`;
}

/** Init code that stores 9000 in slot 0, and leaves these bytes. */
function storing(runtimeCode: Hex): Hex {
  const size = ((runtimeCode.length - 2) / 2).toString(16).padStart(4, "0");
  return `0x61232860005561${size}806010${"3d393df3"}${runtimeCode.slice(2)}`;
}

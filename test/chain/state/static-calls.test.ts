import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { decodeFunctionResult, encodeFunctionData, multicall3Abi, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { STATIC_CALLS, STATIC_CALLS_CODE } from "../../../src/chain/state/static-calls.ts";
import type { RawReceipt } from "../../../src/chain/types.ts";
import { type Address, lowerAddress } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { word } from "../../support/scripted-node/ledger.ts";
import { openChain } from "../../support/test-chain.ts";

const SOURCE = new URL("../../../src/chain/state/static-calls.sol", import.meta.url);

/** `Thief` pays its coins to any given address, while the call lasts. */
const CONTRACTS = `
contract Coin {
    mapping(address => uint256) public balanceOf;
    constructor() { balanceOf[msg.sender] = 1000; }
    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }
}
contract Burner {
    function balanceOf(address) external view returns (uint256) { while (gasleft() > 0) {} }
}
contract Thief {
    Coin public coin = new Coin();
    Burner[5] public burners;
    constructor() { for (uint256 i = 0; i < 5; i++) burners[i] = new Burner(); }
    function balanceOf(address owner) external returns (uint256) {
        coin.transfer(owner, 100);
        return 7;
    }
    function eat() external view { while (gasleft() > 0) {} }
    function gas() external view returns (uint256) { return gasleft(); }
    function flood() external pure { assembly { return(0, 100000) } }
    function askers() external view returns (address, address) { return (msg.sender, tx.origin); }
    function burn(uint256 amount) external view {
        uint256 before = gasleft();
        while (before - gasleft() < amount) {}
    }
    function hides(uint256 amount) external view returns (bool) {
        try this.burn(amount) { return true; } catch { return false; }
    }
    function longest() external pure { assembly { return(0, 2048) } }
}`;

const COIN: Hex = "0x11df9995";
const EAT: Hex = "0x340a2a4e";
const GAS: Hex = "0x6ca7c216";
const BURNERS: Hex = "0x95bf1305";
const FLOOD: Hex = "0xbe846eb3";
/** The balance of an unused address. */
const BALANCE: Hex = `0x70a08231${"0".repeat(64)}`;

interface GroupedCall {
  target: Address;
  allowFailure: boolean;
  callData: Hex;
}

interface Compiled {
  evm: Record<"bytecode" | "deployedBytecode", { object: string }>;
}

async function compile(): Promise<Record<"StaticCalls" | "Thief", Compiled>> {
  const input = {
    language: "Solidity",
    sources: { "a.sol": { content: `${await readFile(SOURCE, "utf8")}${CONTRACTS}` } },
    settings: {
      evmVersion: "london",
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      optimizer: { enabled: true, runs: 1 },
      outputSelection: {
        "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] },
      },
    },
  };
  const solc = createRequire(import.meta.url)("solc");
  return JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"];
}

describe("calls in a group", () => {
  let compiled: Awaited<ReturnType<typeof compile>>;
  let anvil: Anvil;
  beforeAll(async () => {
    [compiled, anvil] = await Promise.all([compile(), startAnvil()]);
  });
  afterAll(() => anvil.stop());

  async function open() {
    const { chain } = openChain([anvil]);
    const [from] = (await chain.request("eth_accounts", [])) as [Address];
    const data = `0x${compiled.Thief.evm.bytecode.object}`;
    const hash = await chain.request("eth_sendTransaction", [{ from, data }]);
    const receipt = await vi.waitUntil(() => chain.request("eth_getTransactionReceipt", [hash]), {
      timeout: 30_000,
    });
    const thief = (receipt as RawReceipt).contractAddress as Address;
    const head = await chain.fetchHead();
    const [answer] = await chain.fetchCalls([{ to: thief, data: COIN }], head);
    return { chain, head, thief, coin: lowerAddress(`0x${(answer as Hex).slice(-40)}`) };
  }

  test("are made by the code that the source compiles to", () => {
    expect(STATIC_CALLS_CODE).toBe(`0x${compiled.StaticCalls.evm.deployedBytecode.object}`);
  });

  test("do not see what the calls before them changed", async () => {
    const { chain, head, thief, coin } = await open();
    const owners = ["11", "22"].map((byte): Address => `0x${byte.repeat(20)}`);
    const queries = [thief, coin].flatMap((token) => owners.map((owner) => ({ token, owner })));
    const balances = await chain.fetchTokenBalances(queries, head);
    expect(balances).toEqual([7n, 7n, 0n, 0n]);
  });

  test("have the gas of one transaction together, and room for short answers only", async () => {
    const { chain, head, thief } = await open();
    const floods = Array.from({ length: 60 }, () => ({ to: thief, data: FLOOD }));
    const calls = [{ to: thief, data: GAS }, ...floods, { to: thief, data: GAS }];
    const returned = await chain.fetchCalls(calls, head);
    const [first, last] = [returned.at(0), returned.at(-1)].map((one) => BigInt(one as Hex));
    expect(first).toBeGreaterThan(2n ** 24n / 64n);
    expect(first).toBeLessThan(2n ** 24n / 62n);
    expect(last).toBeGreaterThan(2n ** 22n);
    expect(last).toBeLessThan(2n ** 24n);
    expect(returned.slice(1, -1).every((one) => one?.length === 200_002)).toBe(true);
  });

  test.each([
    [4, null],
    [5, undefined],
  ])(
    "are made alone for %i contracts that use up their gas: each gives %s",
    async (count, told) => {
      const { chain, head, thief, coin } = await open();
      const places = Array.from({ length: count }, (_, place) => place);
      const found = await chain.fetchCalls(
        places.map((place) => ({ to: thief, data: `${BURNERS}${word(place).slice(2)}` as const })),
        head,
      );
      const burners = found.map((one) => lowerAddress(`0x${(one as Hex).slice(-40)}`));
      // The coin's code has no answer for a token by id.
      const queries = [...burners, coin, coin].map((token) => ({ token, owner: thief }));
      const balances = await chain.fetchTokenBalances(
        [...queries, { token: coin, owner: thief, id: 1n }],
        head,
      );
      expect(balances).toEqual([...burners.map(() => told), 1000n, 1000n, null]);
    },
  );

  test.each([10_000_000, 2 ** 24, 50_000_000])(
    "are answered where the node has %i gas, and the last of them uses up its share",
    async (gas) => {
      const { chain, head, thief } = await open();
      const [longest, eat] = ["longest()", "eat()"].map((name) => ({
        target: thief,
        allowFailure: true,
        callData: toFunctionSelector(name),
      })) as [GroupedCall, GroupedCall];
      const calls = [...Array<GroupedCall>(63).fill(longest), eat];
      const data = encodeFunctionData({
        abi: multicall3Abi,
        functionName: "aggregate3",
        args: [calls],
      });
      const returned = (await chain.request("eth_call", [
        { to: STATIC_CALLS, data, gas: `0x${gas.toString(16)}` },
        head.hash,
        { [STATIC_CALLS]: { code: STATIC_CALLS_CODE } },
      ])) as Hex;
      const results = decodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        data: returned,
      });
      expect(results.map(({ success, returnData }) => [success, returnData.length])).toEqual([
        ...Array(63).fill([true, 2 + 2 * 2048]),
        [false, 4],
      ]);
    },
  );

  test.each(["askers()", "hides(uint256)"])("return what %s returns alone", async (signature) => {
    const { chain, head, thief } = await open();
    const data = `${toFunctionSelector(signature)}${word(300_000).slice(2)}` as Hex;
    const [alone] = await chain.fetchCalls([{ to: thief, data }], head);
    const others = Array(62).fill({ to: thief, data: GAS });
    const returned = await chain.fetchCalls(
      [{ to: thief, data }, ...others, { to: thief, data }],
      head,
    );
    expect([returned[0], returned[63]]).toEqual([alone, alone]);
  });

  test("leave gas to the calls behind them", async () => {
    const { chain, head, thief, coin } = await open();
    const calls = [thief, coin, coin, coin].map((to) => ({
      to,
      data: to === thief ? EAT : BALANCE,
    }));
    const returned = await chain.fetchCalls(calls, head);
    expect(returned).toEqual([null, ...Array(3).fill(`0x${"0".repeat(64)}`)]);
  });
});

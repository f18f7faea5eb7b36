import { call, getBalance, getBlockNumber } from "viem/actions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawReceipt } from "../../src/chain/types.ts";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { openChain } from "../support/test-chain.ts";

// Creation code of a contract that keeps the value of its last call in slot 0 and reverts when called with data:
// 36 6008 57  34 5f 55 00  5b 5f 5f fd
const KEEPER: Hex = "0x6b36600857345f55005b5f5ffd5f52600c6014f3";

describe("anvil", () => {
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil();
  });
  afterAll(() => anvil.stop());

  async function open(options = {}) {
    const opened = openChain([anvil], options);
    const accounts = (await opened.chain.request("eth_accounts", [])) as Address[];
    const [alice, bob] = accounts as [Address, Address];
    /** Sends a transaction and gives its receipt once it is mined. */
    async function send(transaction: object): Promise<RawReceipt> {
      const parameters = [{ from: alice, ...transaction }];
      const hash = await opened.chain.request("eth_sendTransaction", parameters);
      for (;;) {
        const receipt = await opened.chain.request("eth_getTransactionReceipt", [hash]);
        if (receipt) return receipt as RawReceipt;
      }
    }
    return { ...opened, alice, bob, send };
  }

  test("is probed", async () => {
    const { chain } = await open();
    expect(await chain.probe()).toMatchObject({
      chainId: 31337,
      clientVersion: expect.stringMatching(/^anvil/),
      capabilities: {
        blockReceipts: true,
        tracer: "debug_traceBlockByHash",
        archive: true,
        txpool: true,
        settled: true,
      },
    });
  });

  test("gives blocks whose parts agree", async () => {
    const { chain, bob, send } = await open();
    const transfer = await send({ to: bob, value: "0x5" });
    const creation = await send({ data: KEEPER });
    const reverted = await send({ to: creation.contractAddress, data: "0x01", gas: "0x186a0" });
    const head = await chain.fetchHead();
    const numbers = [head.number - 2, head.number - 1, head.number, head.number + 1];
    const { blocks } = await chain.fetchBlocks(numbers);
    expect(blocks.map((block) => block?.block.transactions.map(({ hash }) => hash))).toEqual([
      [transfer.transactionHash],
      [creation.transactionHash],
      [reverted.transactionHash],
      undefined,
    ]);
    for (const fetched of blocks.slice(0, 3)) {
      expect(fetched?.receipts).toMatchObject([
        { blockHash: fetched?.block.hash, transactionIndex: "0x0" },
      ]);
      expect(fetched?.traces?.[0]?.transactionHash).toBe(fetched?.block.transactions[0]?.hash);
    }
    expect(blocks.slice(0, 3).map((block) => block?.traces?.[0]?.frame)).toMatchObject([
      { type: "call", to: bob, value: "0x5", error: null },
      { type: "create", to: creation.contractAddress, error: null },
      { type: "call", to: creation.contractAddress, error: expect.any(String) },
    ]);
  });

  test("gives the state of each block while its head moves", async () => {
    const { chain, bob, send } = await open();
    await chain.probe();
    const { contractAddress } = await send({ data: KEEPER });
    const keeper = contractAddress as Address;
    const { number: first } = await chain.fetchHead();
    const stop = new AbortController();
    const mining = (async () => {
      for (let value = 1; !stop.signal.aborted; value++) {
        await send({ to: keeper, value: `0x${value.toString(16)}` });
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    })();
    for (let round = 0; round < 150; round++) {
      const block = await chain.fetchHead();
      const [[slot], [balance], code] = await Promise.all([
        chain.fetchStorage([{ address: keeper, slot: `0x${"0".repeat(64)}` }], block),
        chain.fetchCoinBalances([keeper], block),
        chain.fetchCodes([keeper, bob], block),
      ]);
      const calls = BigInt(block.number - first);
      expect([block.number, BigInt(slot ?? "0x0"), balance]).toEqual([
        block.number,
        calls,
        (calls * (calls + 1n)) / 2n,
      ]);
      expect(code[1]).toBe("0x");
    }
    stop.abort();
    await mining;
  });

  test("announces heads over WebSocket, and a revert is seen by looking", async () => {
    const { chain, send, bob } = await open({ webSocketUrl: anvil.url.replace("http", "ws") });
    const heads = chain.watchHeads({ pollIntervalMs: 100 });
    const present = await heads.next(10_000);
    const snapshot = await chain.request("evm_snapshot", []);
    await send({ to: bob, value: "0x1" });
    const mined = await heads.next(10_000);
    expect(mined).toMatchObject({ number: (present?.number ?? 0) + 1 });
    await chain.request("evm_revert", [snapshot]);
    expect(await heads.next(10_000)).toMatchObject({ hash: present?.hash });
  });

  test("shows another genesis after a reset", async () => {
    const { chain } = await open();
    const before = await chain.fetchHeader(0);
    await chain.request("anvil_reset", []);
    const after = await chain.fetchHeader(0);
    expect(after?.hash).not.toBe(before?.hash);
    expect(await chain.fetchHead()).toMatchObject({ number: 0, hash: after?.hash });
  });

  test("is read through viem, reverts included", async () => {
    const { chain, alice } = await open();
    expect(await getBlockNumber(chain.viem())).toBe(0n);
    expect(await getBalance(chain.viem(), { address: alice })).toBe(10_000n * 10n ** 18n);
    await expect(call(chain.viem(), { data: "0x5f5ffd" })).rejects.toThrow(/revert/);
  });
});

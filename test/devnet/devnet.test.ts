import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChain } from "../../src/chain/client.ts";
import { sleep } from "../../src/core/async.ts";
import { quantity, quantityToNumber } from "../../src/core/evm/quantity.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { createRpc, type Rpc } from "../../src/devnet/rpc.ts";
import { sampleAddress } from "../../src/devnet/world.ts";

interface Receipt {
  transactionHash: string;
  status: string;
  logs: unknown[];
  contractAddress: string | null;
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-devnet-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a chain in the folder of this file for as long as `use` takes. */
async function withDevnet(use: (rpc: Rpc, devnet: Devnet) => Promise<void>): Promise<void> {
  const signal = new AbortController().signal;
  const devnet = await startDevnet({ folder, log: pino({ level: "silent" }), signal });
  try {
    await use(createRpc(devnet.rpcUrl, signal), devnet);
  } finally {
    await devnet.stop();
  }
}

async function head(rpc: Rpc): Promise<number> {
  return quantityToNumber(await rpc<string>("eth_blockNumber"));
}

async function receipts(rpc: Rpc): Promise<Receipt[]> {
  const numbers = Array.from({ length: (await head(rpc)) + 1 }, (_, number) => quantity(number));
  const blocks = numbers.map((number) => rpc<Receipt[]>("eth_getBlockReceipts", number));
  return (await Promise.all(blocks)).flat();
}

test("an empty chain has a block at once, then the sample world and one cycle of traffic", async () => {
  await withDevnet(async (rpc, { populated }) => {
    expect(await head(rpc)).toBeGreaterThanOrEqual(1);
    expect(await populated).toBeGreaterThanOrEqual(14);
    const all = await receipts(rpc);
    expect(all.filter((receipt) => receipt.contractAddress !== null)).toHaveLength(8);
    expect(all.filter((receipt) => receipt.status === "0x0")).toHaveLength(2);
  });
});

test("an end while the sample contracts compile, as by Ctrl-C, is no fault of the compiler", async () => {
  const empty = await mkdtemp(path.join(os.tmpdir(), "periscope-devnet-ended-"));
  const complaints: string[] = [];
  const log = pino({ level: "error" }, { write: (line) => complaints.push(line) });
  const ending = new AbortController();
  const devnet = await startDevnet({ folder: empty, log, signal: ending.signal });
  ending.abort();
  expect(await devnet.populated).toBe(0);
  expect(complaints).toEqual([]);
  await devnet.stop();
  await rm(empty, { recursive: true });
});

test("the chain goes on where it ended", async () => {
  let before: unknown;
  await withDevnet(async (rpc) => {
    before = await rpc("eth_getBlockByNumber", "0x5", true);
  });
  await withDevnet(async (rpc) => {
    expect(await rpc("eth_getBlockByNumber", "0x5", true)).toEqual(before);
    expect(await head(rpc)).toBeLessThan(25);
  });
});

test("however often it starts, the chain begins with the same block", async () => {
  const starts: { is: string | undefined; shouldBe: string | undefined }[] = [];
  for (let start = 0; start < 5; start++) {
    // Blocks that are made in the same second are the same.
    await sleep(1_000);
    await withDevnet(async (rpc) => {
      const [first, second] = await Promise.all(
        ["0x0", "0x1"].map((number) =>
          rpc<{ hash: string; parentHash: string }>("eth_getBlockByNumber", number, false),
        ),
      );
      starts.push({ is: first?.hash, shouldBe: second?.parentHash });
    });
  }
  expect(starts.filter((each) => each.is !== each.shouldBe)).toEqual([]);
});

test("the blocks of earlier runs can still be indexed with their internal transactions", async () => {
  await withDevnet(async (rpc, { rpcUrl }) => {
    const closing = new AbortController();
    const chain = createChain({
      urls: [rpcUrl],
      requestTimeoutMs: 10_000,
      batchSize: 100,
      concurrency: 4,
      maxResponseBytes: 100_000_000,
      traces: "auto",
      log: pino({ level: "silent" }),
      signal: closing.signal,
    });
    const { blocks } = await chain.fetchBlocks([2, 3, 4, 5, 6, 7, 8]);
    const frames = blocks.flatMap((block) => block?.traces ?? []).map(({ frame }) => frame);
    expect(frames).toHaveLength(blocks.flatMap((block) => block?.block.transactions ?? []).length);
    expect(frames.filter((frame) => frame?.type === "create")).toHaveLength(8);
    await expect(
      rpc("debug_traceBlockByNumber", "0x5", { tracer: "callTracer" }),
    ).resolves.toContainEqual(expect.objectContaining({ error: "Resource not found" }));
    closing.abort();
    await chain.close();
  });
});

test("a developer's transaction is mined at once", async () => {
  await withDevnet(async (rpc) => {
    const [from] = await rpc<string[]>("eth_accounts");
    const hash = await rpc("eth_sendTransaction", { from, to: from, value: "0x1" });
    await expect
      .poll(() => rpc("eth_getTransactionReceipt", hash))
      .toMatchObject({ status: "0x1" });
  });
});

test("the world is built again after the developer reset the chain", async () => {
  await withDevnet(async (rpc, { populated }) => {
    // After that there are pauses: a round that is under way would go on upon the new chain.
    await populated;
    const firstPayment = async () => (await receipts(rpc))[0]?.transactionHash;
    const before = await firstPayment();
    await rpc("anvil_reset");
    expect(await head(rpc)).toBe(0);
    await expect.poll(() => head(rpc)).toBeGreaterThanOrEqual(2);
    expect((await receipts(rpc)).filter((receipt) => receipt.contractAddress)).toHaveLength(8);
    expect(await firstPayment()).toBe(before);
  });
});

test("the world is built again when a reset overtakes a round", async () => {
  await withDevnet(async (rpc, { populated }) => {
    await populated;
    const deployer = (await rpc<string[]>("eth_accounts"))[9];
    const deployments = async () =>
      (await receipts(rpc)).flatMap((one) => (one.contractAddress ? [one.transactionHash] : []));
    const before = await deployments();
    await rpc("anvil_reset");
    await rpc("eth_sendTransaction", { from: deployer, to: sampleAddress("Coin"), gas: "0x5208" });
    await expect.poll(() => rpc("eth_getCode", sampleAddress("Splitter"), "latest")).not.toBe("0x");
    expect(await deployments()).toEqual(before);
  });
});

test("a chain that cannot be read is put aside and a new one begun", async () => {
  await writeFile(path.join(folder, "state.json.gz"), "not what anvil wrote");
  await withDevnet(async (_rpc, { populated }) => {
    expect(await populated).toBeGreaterThanOrEqual(14);
  });
  expect(await readdir(folder)).toContain("state.json.gz.unreadable");
});

test.runIf(existsSync("/dev/full"))(
  "a chain stays where it is while the disk is full",
  async () => {
    const kept = path.join(folder, "state.json.gz");
    const before = await readFile(kept);
    await symlink("/dev/full", path.join(folder, "state.json"));
    const aside = path.join(folder, "state.json.gz.unreadable");
    await rm(aside, { force: true });
    await expect(withDevnet(async () => {})).rejects.toThrow(/no space left/);
    expect(existsSync(aside)).toBe(false);
    expect(await readFile(kept)).toEqual(before);
  },
);

test("announces blocks over WebSocket", async () => {
  await withDevnet(async (_rpc, { webSocketUrl }) => {
    const socket = new WebSocket(webSocketUrl);
    const answer = new Promise((resolve) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
    });
    socket.onopen = () =>
      socket.send(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }),
      );
    expect(await answer).toHaveProperty("result");
    socket.close();
  });
});

import type { Address, Hex } from "viem";
import type { Call, JsonRpc } from "./json-rpc.ts";

/** `eth_getBlockByNumber` with its transactions, as far as it is used. */
interface NodeBlock {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  miner: Address;
  difficulty?: Hex;
  size: Hex;
  gasLimit: Hex;
  gasUsed: Hex;
  baseFeePerGas?: Hex;
  excessBlobGas?: Hex;
  transactions: NodeTransaction[];
  uncles?: Hex[];
  withdrawals?: { index: Hex; validatorIndex: Hex; address: Address; amount: Hex }[];
}

/** `eth_getUncleByBlockHashAndIndex`. */
interface NodeUncle {
  hash: Hex;
  number: Hex;
  timestamp: Hex;
  miner: Address;
}

/** A transaction of `eth_getBlockByNumber`. */
export interface NodeTransaction {
  hash: Hex;
  type?: Hex;
  from: Address;
  to: Address | null;
  nonce: Hex;
  value: Hex;
  gas: Hex;
  gasPrice?: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  input: Hex;
  v?: Hex;
  r?: Hex;
  s?: Hex;
  yParity?: Hex;
  accessList?: unknown[];
  authorizationList?: unknown[];
  maxFeePerBlobGas?: Hex;
  blobVersionedHashes?: Hex[];
}

/** `eth_getTransactionReceipt`. */
export interface NodeReceipt {
  transactionHash: Hex;
  status?: Hex;
  contractAddress: Address | null;
  cumulativeGasUsed: Hex;
  gasUsed: Hex;
  effectiveGasPrice?: Hex;
  blobGasUsed?: Hex;
  blobGasPrice?: Hex;
  logs: { address: Address; topics: Hex[]; data: Hex; logIndex: Hex }[];
}

/** A frame of `debug_traceTransaction` with the callTracer. */
export interface NodeFrame {
  type: string;
  from: Address;
  to?: Address;
  value?: Hex;
  gas?: Hex;
  gasUsed?: Hex;
  input: Hex;
  output?: Hex;
  error?: string;
  calls?: NodeFrame[];
}

/** One block with all of the node's data; `traces` is null where the node does not trace. */
export interface ChainBlock {
  block: NodeBlock;
  uncles: NodeUncle[];
  receipts: NodeReceipt[];
  traces: NodeFrame[] | null;
}

/** Reads blocks one question at a time each, and remembers by hash what cannot change: a block stands for its ancestors. */
export interface ChainReader {
  /** Blocks `first` to `last`, both included. Throws when the node lacks one, or its hashes do not form a chain. */
  read(first: number, last: number): Promise<ChainBlock[]>;
}

const CALL_TRACER = { tracer: "callTracer" };

/** `0x` text of a block number or other quantity. */
export function hexNumber(value: number): Hex {
  return `0x${value.toString(16)}`;
}

function callsFor(hashes: readonly Hex[], method: string, ...more: unknown[]): Call[] {
  return hashes.map((hash) => ({ method, params: [hash, ...more] }));
}

/** Reader of the chain behind `rpc`. */
export function createChainReader(rpc: JsonRpc): ChainReader {
  const known = new Map<Hex, ChainBlock>();

  let isTraced: boolean | undefined;

  /** Null where the node knows no callTracer: it gives another kind of trace then, or an error. */
  async function fetchTraces(hashes: readonly Hex[]): Promise<NodeFrame[] | null> {
    const calls = callsFor(hashes, "debug_traceTransaction", CALL_TRACER);
    if (isTraced === undefined && calls.length > 0) {
      const [answer] = await rpc.batch(calls.slice(0, 1));
      isTraced = typeof (answer?.result as NodeFrame | undefined)?.type === "string";
    }
    return isTraced === false ? null : rpc.requestAll<NodeFrame>(calls);
  }

  async function complete(blocks: readonly NodeBlock[]): Promise<void> {
    const hashes = blocks.flatMap((block) => block.transactions.map(({ hash }) => hash));
    const receipts = await rpc.requestAll<NodeReceipt>(
      callsFor(hashes, "eth_getTransactionReceipt"),
    );
    const traces = await fetchTraces(hashes);
    const uncles = await rpc.requestAll<NodeUncle>(
      blocks.flatMap((block) =>
        (block.uncles ?? []).map((_, index) => ({
          method: "eth_getUncleByBlockHashAndIndex",
          params: [block.hash, hexNumber(index)],
        })),
      ),
    );
    let firstUncle = 0;
    let start = 0;
    for (const block of blocks) {
      const end = start + block.transactions.length;
      const own = {
        receipts: receipts.slice(start, end),
        traces: traces?.slice(start, end) ?? null,
      };
      const lastUncle = firstUncle + (block.uncles ?? []).length;
      known.set(block.hash, { block, uncles: uncles.slice(firstUncle, lastUncle), ...own });
      firstUncle = lastUncle;
      start = end;
    }
  }

  let lastRead: ChainBlock[] = [];

  /** Those of the last read that are still ancestors of block `last`, by the newest one's hash. */
  async function remembered(first: number, last: number): Promise<ChainBlock[]> {
    const own = lastRead.filter(({ block }) => Number(block.number) <= last);
    const newest = own.at(-1)?.block;
    if (!newest || Number(own[0]?.block.number) !== first) return [];
    const params = [newest.number, false];
    const now = await rpc.request<{ hash: Hex } | null>("eth_getBlockByNumber", ...params);
    return now?.hash === newest.hash ? own : [];
  }

  return {
    async read(start, last) {
      const old = await remembered(start, last);
      const first = start + old.length;
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const blocks = await rpc.requestAll<NodeBlock | null>(
        numbers.map((number) => ({
          method: "eth_getBlockByNumber",
          params: [hexNumber(number), true],
        })),
      );
      const present = blocks.filter((block) => block !== null);
      if (present.length < blocks.length) throw new Error("the node lacks a block below its head");
      for (const [index, block] of present.entries()) {
        const parent = present[index - 1] ?? old.at(-1)?.block;
        if (parent && parent.hash !== block.parentHash) throw new Error("the chain moved");
      }
      await complete(present.filter(({ hash }) => !known.has(hash)));
      lastRead = [...old, ...present.map(({ hash }) => known.get(hash) as ChainBlock)];
      return lastRead;
    },
  };
}

import type { RawBlock } from "../../../src/chain/types.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import { type BlockSequence, createBlocks } from "./blocks.ts";
import { type CallContract, createContracts } from "./calls.ts";
import type { ChainShape } from "./shape.ts";

/** A call of JSON-RPC as it arrives. */
export interface RpcRequest {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** A node in memory with prepared answers. State is that of the newest block, for any named block. */
export interface BenchNode {
  /** The JSON of the answer, all of it after the id: `"result":…` or `"error":…`. */
  answer(request: RpcRequest): readonly Buffer[];
  /** Adds blocks to the chain; gives the header of the last as JSON. */
  mine(count: number): Buffer;
  readonly head: { number: number; hash: Hex };
  readonly totals: BlockSequence["totals"];
}

/** JSON of one block, in every form that is asked for. */
interface StoredBlock {
  hash: Hex;
  header: Buffer;
  /** Empty below `servedFrom`. */
  whole: Buffer;
  receipts: Buffer;
  traces: Buffer;
}

const RESULT = Buffer.from('"result":');
const NOTHING = Buffer.from("null");
const NO_METHOD = [Buffer.from('"error":{"code":-32601,"message":"the method does not exist"}')];
const REVERTED = [Buffer.from('"error":{"code":3,"message":"execution reverted","data":"0x"}')];
const CHAIN_ID = 1;
const COIN_BALANCE = 10n ** 20n;

/** Makes the node of a chain, with all blocks up to the shape's head. */
export function createNode(shape: ChainShape): BenchNode {
  const sequence = createBlocks(shape);
  const callContract = createContracts(sequence.tokens);
  const blocks: StoredBlock[] = [];
  const numbers = new Map<unknown, number>();

  function add(): StoredBlock {
    const { number, block, receipts, traces } = sequence.next();
    const kept = number === 0 || number >= shape.servedFrom;
    const stored = {
      hash: block.hash,
      header: json(headerOf(block)),
      whole: json(kept ? block : null),
      receipts: json(kept ? receipts : null),
      traces: json(kept ? traces : null),
    };
    blocks.push(stored);
    numbers.set(block.hash, number);
    numbers.set(block.number, number);
    return stored;
  }

  function mine(count: number): Buffer {
    for (let block = 1; block < count; block++) add();
    return add().header;
  }

  function find(name: unknown): StoredBlock | undefined {
    if (name === "latest" || name === "finalized" || name === "safe") return blocks.at(-1);
    return blocks[numbers.get(name === "earliest" ? "0x0" : name) ?? -1];
  }

  function answer({ method, params }: RpcRequest): readonly Buffer[] {
    const [first, second] = params;
    switch (method) {
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash":
        return [RESULT, find(first)?.[second ? "whole" : "header"] ?? NOTHING];
      case "eth_getBlockReceipts":
        return [RESULT, find(first)?.receipts ?? NOTHING];
      case "debug_traceBlockByHash":
      case "debug_traceBlockByNumber":
        return [RESULT, find(first)?.traces ?? NOTHING];
      case "eth_call":
        return answerCall(callContract, first as { to: Address; data: Hex });
      case "eth_getCode":
        return result("0x");
      case "eth_getBalance":
        return result(quantity(COIN_BALANCE));
      case "eth_blockNumber":
        return result(quantity(blocks.length - 1));
      case "eth_chainId":
        return result(quantity(CHAIN_ID));
      case "net_version":
        return result(String(CHAIN_ID));
      case "web3_clientVersion":
        return result("bench/1");
      case "eth_subscribe":
        return result("0x1");
      default:
        return NO_METHOD;
    }
  }

  mine(shape.head + 1);
  return {
    answer,
    mine,
    totals: sequence.totals,
    get head() {
      return { number: blocks.length - 1, hash: (blocks.at(-1) as StoredBlock).hash };
    },
  };
}

function answerCall(call: CallContract, { to, data }: { to: Address; data: Hex }) {
  const returned = call(to, data);
  return returned === undefined ? REVERTED : result(returned);
}

function result(value: string): readonly Buffer[] {
  return [RESULT, json(value)];
}

function json(value: unknown): Buffer {
  return value === null ? NOTHING : Buffer.from(JSON.stringify(value), "latin1");
}

function headerOf(block: RawBlock): object {
  return { ...block, transactions: block.transactions.map(({ hash }) => hash) };
}

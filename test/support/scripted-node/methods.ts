import { decodeFunctionData, encodeFunctionResult, keccak256, multicall3Abi } from "viem";
import { STATIC_CALLS } from "../../../src/chain/state/static-calls.ts";
import { messageOf } from "../../../src/core/errors.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, lowerHex } from "../../../src/core/evm/hex.ts";
import { quantity, quantityToNumber } from "../../../src/core/evm/quantity.ts";
import type { ScriptedBlock } from "./block.ts";
import type { ScriptedChain } from "./chain.ts";
import type { IncomingCall } from "./faults.ts";
import { flatFrames } from "./traces.ts";

/** A JSON-RPC error that a method answers. */
export class MethodError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Properties of a node, apart from its chain. May be changed while it runs. */
export interface NodeBehaviour {
  clientVersion: string;
  /** Methods that it does not have, by name or by prefix up to and including the underscore. */
  without: string[];
  /** It knows the chain only up to so many blocks below the head. */
  behind: number;
  /** It has the state of the newest so many blocks only. */
  statesKept: number;
  /** It accepts a block hash where state is read (EIP-1898). */
  stateByHash: boolean;
  /** Its `eth_capabilities` names this block; null: it does not have the method. */
  oldestBlock: number | null;
  /** It answers null for a number that its chain leaves out, in place of an error. */
  nullRounds: boolean;
  /** It makes calls with code in the place of an account's. */
  overrides: boolean;
}

/** The result of one call. Throws `MethodError`. */
export function answer(chain: ScriptedChain, node: NodeBehaviour, call: IncomingCall): unknown {
  const { method, params } = call;
  const missing = node.without.some(
    (name) => name === method || (name.endsWith("_") && method.startsWith(name)),
  );
  const run = missing ? undefined : METHODS[method];
  if (!run) throw new MethodError(-32601, `the method ${method} does not exist/is not available`);
  try {
    return run({ chain, node }, params);
  } catch (error) {
    if (error instanceof MethodError) throw error;
    // A node answers despite invented parameters.
    throw new MethodError(-32602, `invalid argument: ${messageOf(error)}`);
  }
}

interface Context {
  chain: ScriptedChain;
  node: NodeBehaviour;
}

type Method = (context: Context, params: readonly unknown[]) => unknown;

function headOf({ chain, node }: Context): ScriptedBlock {
  let number = Math.max(0, chain.height - node.behind);
  while (!chain.at(number)) number--;
  return chain.at(number) as ScriptedBlock;
}

function byNumber(context: Context, parameter: unknown): ScriptedBlock | undefined {
  const head = headOf(context);
  if (parameter === "latest" || parameter === "pending") return head;
  if (parameter === "safe" || parameter === "finalized") return head;
  const number = parameter === "earliest" ? 0 : quantityToNumber(String(parameter));
  if (number > quantityToNumber(head.block.number)) return undefined;
  const found = context.chain.at(number);
  if (!found && context.node.nullRounds) return undefined;
  if (!found) throw new MethodError(12, `requested epoch was a null round (${number})`, number);
  return found;
}

function shown(found: ScriptedBlock | undefined, whole: unknown): unknown {
  if (!found) return null;
  const { block } = found;
  return whole ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
}

function known(found: ScriptedBlock | undefined): ScriptedBlock {
  if (!found) throw new MethodError(-32000, "header not found");
  return found;
}

/** The block that state is read at. */
function stateAt(context: Context, parameter: unknown): ScriptedBlock {
  const { chain, node } = context;
  const byHash = typeof parameter === "object" && parameter !== null;
  if (byHash && !node.stateByHash)
    throw new MethodError(-32602, "invalid argument 1: not a block number");
  const { blockHash } = (parameter ?? {}) as { blockHash?: string };
  const found = known(
    byHash ? chain.byHash(String(blockHash)) : byNumber(context, parameter ?? "latest"),
  );
  if (quantityToNumber(found.block.number) <= chain.height - node.statesKept) {
    throw new MethodError(-32000, "missing trie node 0000 (path ) state is not available");
  }
  return found;
}

function receiptOf(chain: ScriptedChain, hash: unknown) {
  for (let number = chain.height; number >= 0; number--) {
    const receipt = chain
      .at(number)
      ?.receipts.find(({ transactionHash }) => transactionHash === hash);
    if (receipt) return receipt;
  }
  return null;
}

function transactionOf(chain: ScriptedChain, hash: unknown) {
  const receipt = receiptOf(chain, hash);
  const block = receipt && chain.byHash(receipt.blockHash);
  return block
    ? (block.block.transactions[quantityToNumber(receipt.transactionIndex)] ?? null)
    : null;
}

function callTraces({ block, frames }: ScriptedBlock): object[] {
  return frames.map((result, index) => ({ txHash: block.transactions[index]?.hash, result }));
}

const AGGREGATE3 = [multicall3Abi[0]] as const;

function makeCall(to: Address, data: Hex, at: ScriptedBlock): Hex | null {
  if (to === "0x0000000000000000000000000000000000000004") return data;
  if (to !== STATIC_CALLS) return at.ledger.call(to, data);
  const { args } = decodeFunctionData({ abi: AGGREGATE3, data });
  const result = args[0].map((call) => {
    const returned = makeCall(lowerHex(call.target), call.callData, at);
    return { success: returned !== null, returnData: returned ?? "0x" } as const;
  });
  return encodeFunctionResult({ abi: AGGREGATE3, functionName: "aggregate3", result });
}

const METHODS: Readonly<Record<string, Method>> = {
  web3_clientVersion: ({ node }) => node.clientVersion,
  eth_capabilities: ({ node: { oldestBlock } }) => {
    if (oldestBlock === null) throw new MethodError(-32601, "the method does not exist");
    return { blocks: { oldestBlock: "0x0" }, receipts: { oldestBlock: quantity(oldestBlock) } };
  },
  eth_chainId: ({ chain }) => quantity(chain.chainId),
  net_version: ({ chain }) => String(chain.chainId),
  eth_blockNumber: (context) => headOf(context).block.number,
  eth_gasPrice: () => "0x77359400",
  eth_maxPriorityFeePerGas: () => "0x3b9aca00",
  eth_estimateGas: () => "0x5208",
  /** Of one block; the next one has the same base fee. */
  eth_feeHistory: (context, [, newest]) => {
    const { number, baseFeePerGas = "0x0" } = known(byNumber(context, newest)).block;
    return { oldestBlock: number, baseFeePerGas: [baseFeePerGas, baseFeePerGas] };
  },
  eth_getBlockByNumber: (context, [number, whole]) => shown(byNumber(context, number), whole),
  eth_getBlockByHash: ({ chain }, [hash, whole]) => shown(chain.byHash(String(hash)), whole),
  eth_getBlockReceipts: (context, [block]) =>
    (String(block).length === 66 ? context.chain.byHash(String(block)) : byNumber(context, block))
      ?.receipts ?? null,
  eth_getUncleByBlockHashAndIndex: ({ chain }, [hash, index]) =>
    chain.byHash(String(hash))?.uncles[quantityToNumber(String(index))] ?? null,
  eth_getUncleByBlockNumberAndIndex: (context, [number, index]) =>
    byNumber(context, number)?.uncles[quantityToNumber(String(index))] ?? null,
  eth_getTransactionReceipt: ({ chain }, [hash]) => receiptOf(chain, hash),
  eth_getTransactionByHash: ({ chain }, [hash]) => transactionOf(chain, hash),
  debug_traceBlockByHash: ({ chain }, [hash]) => callTraces(known(chain.byHash(String(hash)))),
  debug_traceBlockByNumber: (context, [number]) => callTraces(known(byNumber(context, number))),
  debug_traceTransaction: ({ chain }, [hash]) => {
    const receipt = receiptOf(chain, hash);
    if (!receipt) throw new MethodError(-32000, "transaction not found");
    return chain.byHash(receipt.blockHash)?.frames[quantityToNumber(receipt.transactionIndex)];
  },
  trace_block: (context, [number]) => {
    const { block, frames } = known(byNumber(context, number));
    return frames.flatMap((frame, transactionPosition) =>
      flatFrames(frame, {
        blockHash: block.hash,
        blockNumber: quantityToNumber(block.number),
        transactionHash: block.transactions[transactionPosition]?.hash,
        transactionPosition,
      }),
    );
  },
  eth_getBalance: (context, [address, block]) =>
    quantity(stateAt(context, block).ledger.balance(lowerHex(String(address)))),
  eth_getTransactionCount: (context, [address, block]) =>
    quantity(stateAt(context, block).ledger.nonce(lowerHex(String(address)))),
  eth_getCode: (context, [address, block]) =>
    stateAt(context, block).ledger.code(lowerHex(String(address))),
  eth_getStorageAt: (context, [address, slot, block]) =>
    stateAt(context, block).ledger.storage(lowerHex(String(address)), lowerHex(String(slot))),
  eth_call: (context, [call, block, overrides]) => {
    if (overrides !== undefined && !context.node.overrides) {
      throw new MethodError(-32602, "too many arguments, want at most 2");
    }
    const { to, data, input } = call as { to: Address; data?: Hex; input?: Hex };
    const asked = lowerHex(data ?? input ?? "0x");
    const returned = makeCall(lowerHex(to), asked, stateAt(context, block));
    if (returned === null) throw new MethodError(3, "execution reverted", "0x");
    return returned;
  },
  eth_sendRawTransaction: (_, [raw]) => keccak256(raw as Hex),
  txpool_status: () => ({ pending: "0x0", queued: "0x0" }),
  txpool_content: () => ({ pending: {}, queued: {} }),
};

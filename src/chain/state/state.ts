import {
  encodeFunctionData,
  erc20Abi,
  erc1155Abi,
  getBalance,
  getCode,
  getStorageAt,
  pad,
} from "../../core/deep-imports.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Features } from "../capabilities/features.ts";
import { NodeError } from "../errors/errors.ts";
import { askGroups } from "../errors/outcomes.ts";
import type { AskOptions } from "../options.ts";
import type {
  BlockReference,
  ContractCall,
  StateRead,
  StorageQuery,
  TokenBalanceQuery,
  TokenMetadata,
} from "../questions.ts";
import { createNodeClient, type NodeClient } from "../rpc/node-client.ts";
import type { RpcClient } from "../rpc/rpc-client.ts";
import { decodeText, decodeUint, decodeUint8 } from "./abi.ts";
import { createContractCaller, type Returned } from "./contract-calls.ts";
import { pinTo } from "./state-pinning.ts";

const TOTAL_SUPPLY = encodeFunctionData({ abi: erc20Abi, functionName: "totalSupply" });
const METADATA = (["name", "symbol", "decimals"] as const).map((functionName) =>
  encodeFunctionData({ abi: erc20Abi, functionName }),
);

/** See `createPinnedReads`. */
export type ReadPinned = ReturnType<typeof createPinnedReads>;

/** Creates the way to give a task a client whose reads of state are all of one block, at one node. */
export function createPinnedReads(client: RpcClient, features: Features) {
  return <Result>(
    block: BlockReference,
    options: AskOptions,
    task: (viem: NodeClient) => Promise<Result>,
  ): Promise<Result> =>
    client.onNode(options, async (node, viem) => {
      const { ask } = viem.transport;
      return task(createNodeClient(pinTo(block, ask, await features.learn(node))));
    });
}

/**
 * Reads of the state at one block. Results stand in the order of the questions; null is a question that the
 * contract does not answer, which the node's answer proves (it reverted, used up all gas, has no code, or returned
 * something malformed or longer than 64 KB). Undefined is one that the node did not get answered, while it does others.
 * Throws `ChainError`: `state-unavailable` when no node has the state of that block (any more), `block-unknown` when
 * no node knows the block, `block-replaced` when it was reorganised away meanwhile; other trouble is retryable.
 */
export type StateReader = ReturnType<typeof createStateReader>;

/** Creates the reads of state. */
export function createStateReader(readPinned: ReadPinned) {
  const callContracts = createContractCaller();

  /** Makes the calls that a question takes; `answerOf` makes its answer of what they returned. */
  function callEach<Question, Answer>(
    callsOf: (question: Question) => readonly ContractCall[],
    answerOf: (...returned: Returned[]) => Answer,
  ): StateRead<Question, Answer> {
    return (questions, block, options = {}) =>
      readPinned(block, options, async (viem) => {
        const call = (calls: readonly ContractCall[]) => callContracts(viem, calls, block);
        const groups = await askGroups(call, questions.map(callsOf));
        return groups.map((returned) => answerOf(...returned));
      });
  }

  /** Asks everything at once; none of it may fail. */
  function readEach<Question, Answer>(
    read: (viem: NodeClient, question: Question, blockHash: Hex) => Promise<Answer>,
  ): StateRead<Question, Answer> {
    return (questions, block, options = {}) =>
      readPinned(block, options, (viem) =>
        Promise.all(questions.map((question) => read(viem, question, block.hash))),
      );
  }

  return {
    /** Returned bytes; `0x` when the callee has no code. Throws when one of the calls is left unanswered. */
    fetchCalls: callEach(
      (call: ContractCall) => [call],
      (returned = null) => {
        if (!isAnswered(returned)) throw returned;
        return returned;
      },
    ),
    /** In wei. */
    fetchCoinBalances: readEach((viem, address: Address, blockHash) =>
      getBalance(viem, { address, blockHash }),
    ),
    /** `0x` for an account without code. */
    fetchCodes: readEach(
      async (viem, address: Address, blockHash) =>
        (await getCode(viem, { address, blockHash })) ?? "0x",
    ),
    /** 32-byte words. */
    fetchStorage: readEach(async (viem, { address, slot }: StorageQuery, blockHash) =>
      pad((await getStorageAt(viem, { address, slot, blockHash })) as Hex),
    ),
    fetchTokenBalances: callEach((query: TokenBalanceQuery) => [balanceCall(query)], answeredUint),
    fetchTotalSupplies: callEach((to: Address) => [{ to, data: TOTAL_SUPPLY }], answeredUint),
    fetchTokenMetadata: callEach(
      (to: Address) => METADATA.map((data) => ({ to, data })),
      (name = null, symbol = null, decimals = null): TokenMetadata | undefined =>
        isAnswered(name) && isAnswered(symbol) && isAnswered(decimals)
          ? { name: decodeText(name), symbol: decodeText(symbol), decimals: decodeUint8(decimals) }
          : undefined,
    ),
  };
}

function isAnswered(returned: Returned): returned is Hex | null {
  return !(returned instanceof NodeError);
}

function answeredUint(returned: Returned = null): bigint | null | undefined {
  return isAnswered(returned) ? decodeUint(returned) : undefined;
}

function balanceCall({ token, owner, id }: TokenBalanceQuery): ContractCall {
  const functionName = "balanceOf";
  const data =
    id === undefined
      ? encodeFunctionData({ abi: erc20Abi, functionName, args: [owner] })
      : encodeFunctionData({ abi: erc1155Abi, functionName, args: [owner, id] });
  return { to: token, data };
}

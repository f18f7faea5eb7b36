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
import { isContractCode } from "../../core/evm/contract-code.ts";
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
const FACTS = (["name", "symbol", "decimals"] as const).map((functionName) =>
  encodeFunctionData({ abi: erc20Abi, functionName }),
);
/** ERC-165 ids of ERC-1155, of ERC-721, and of an invalid interface. */
const CLAIMS = ["d9b67a26", "80ac58cd", "ffffffff"].map(
  (id): Hex => `0x01ffc9a7${id.padEnd(64, "0")}`,
);
/** Any account except 0, for which collections revert. */
const SOMEONE: Address = "0x0000000000000000000000000000000000000001";

/** See `createPinnedReads`. */
export type ReadPinned = ReturnType<typeof createPinnedReads>;

/** Creates the function that pins a task's state reads to one block at one node. */
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
 * Reads state at one block. Results are in the order of the questions; null means that the contract
 * has no answer, as the node proves (revert, all gas used, no code, malformed or longer than 64
 * KB). Undefined means that the node answered only other questions. Throws `ChainError`:
 * `state-unavailable` when no node has the block's state, `block-unknown` when no node has the
 * block, `block-replaced` after a reorganisation; other errors are retryable.
 */
export type StateReader = ReturnType<typeof createStateReader>;

/** Creates the reads of state. */
export function createStateReader(readPinned: ReadPinned) {
  const callContracts = createContractCaller();

  /** Makes the calls of each question; `answerOf` converts their results into its answer. */
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

  /** Makes one call per question and decodes an amount. */
  function readAmounts<Question>(
    callOf: (question: Question) => ContractCall,
  ): StateRead<Question, bigint | null | undefined> {
    return (questions, block, options = {}) =>
      readPinned(block, options, async (viem) => {
        const calls = questions.map(callOf);
        const returned = await callContracts(viem, calls, block);
        // An account without code returns nothing, as some contracts do.
        const empty = new Set(calls.filter((_, at) => returned[at] === "0x").map(({ to }) => to));
        const codes = [...empty].map(async (address) => {
          const code = await getCode(viem, { address, blockHash: block.hash });
          if (isContractCode(code ?? "0x")) empty.delete(address);
        });
        await Promise.all(codes);
        return calls.map(({ to }, at) => (empty.has(to) ? 0n : answeredUint(returned[at])));
      });
  }

  /** Asks everything at once; fails if any part fails. */
  function readEach<Question, Answer>(
    read: (viem: NodeClient, question: Question, blockHash: Hex) => Promise<Answer>,
  ): StateRead<Question, Answer> {
    return (questions, block, options = {}) =>
      readPinned(block, options, (viem) =>
        Promise.all(questions.map((question) => read(viem, question, block.hash))),
      );
  }

  return {
    /** Returned bytes; `0x` when the callee has no code. Throws when a call stays unanswered. */
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
    /** 0 where the token has no code. */
    fetchTokenBalances: readAmounts(balanceCall),
    /** 0 where the token has no code. */
    fetchTotalSupplies: readAmounts((to: Address) => ({ to, data: TOTAL_SUPPLY })),
    fetchTokenMetadata: callEach(
      (token: Address) => [
        ...[...FACTS, ...CLAIMS].map((data) => ({ to: token, data })),
        balanceCall({ token, owner: SOMEONE }),
        balanceCall({ token, owner: SOMEONE, id: 0n }),
      ],
      (...returned): TokenMetadata | undefined =>
        returned.every(isAnswered) ? readMetadata(returned) : undefined,
    ),
  };
}

function readMetadata([name, symbol, decimals, ...rest]: (Hex | null)[]): TokenMetadata {
  const [isOfIds, isCollection, isAnything, byOwner, byId] = rest.map((one) =>
    decodeUint(one ?? null),
  );
  const claimed = isOfIds === 1n ? 1155 : isCollection === 1n ? 721 : null;
  return {
    name: decodeText(name ?? null),
    symbol: decodeText(symbol ?? null),
    decimals: decodeUint8(decimals ?? null),
    // A contract that claims an invalid interface claims everything.
    ...(isAnything
      ? { claimed: null, byOwner: false, byId: false }
      : { claimed, byOwner: byOwner !== null, byId: byId !== null }),
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

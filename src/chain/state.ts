import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import {
  encodeFunctionData,
  erc20Abi,
  erc1155Abi,
  getBalance,
  getCode,
  getStorageAt,
  pad,
} from "../core/viem.ts";
import { decodeText, decodeUint, decodeUint8 } from "./abi.ts";
import type {
  AskOptions,
  BlockReference,
  ContractCall,
  StateRead,
  StateReader,
  StorageQuery,
  TokenBalanceQuery,
} from "./chain.ts";
import { createContractCaller, type Returned } from "./contract-calls.ts";
import { NodeError } from "./errors.ts";
import type { Features } from "./features.ts";
import { createNodeClient, type NodeClient } from "./node-client.ts";
import type { RpcClient } from "./rpc-client.ts";
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

/** Creates the reads of `StateReader`. */
export function createStateReader(readPinned: ReadPinned): StateReader {
  const callContracts = createContractCaller();

  function callEach(
    calls: readonly ContractCall[],
    block: BlockReference,
    options: AskOptions = {},
  ): Promise<Returned[]> {
    return readPinned(block, options, (viem) => callContracts(viem, calls, block));
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
    async fetchCalls(calls, block, options) {
      return (await callEach(calls, block, options)).map((returned) => {
        if (returned instanceof NodeError) throw returned;
        return returned;
      });
    },
    fetchCoinBalances: readEach((viem, address: Address, blockHash) =>
      getBalance(viem, { address, blockHash }),
    ),
    fetchCodes: readEach(
      async (viem, address: Address, blockHash) =>
        (await getCode(viem, { address, blockHash })) ?? "0x",
    ),
    fetchStorage: readEach(async (viem, { address, slot }: StorageQuery, blockHash) =>
      pad((await getStorageAt(viem, { address, slot, blockHash })) as Hex),
    ),
    async fetchTokenBalances(queries, block, options) {
      return (await callEach(queries.map(balanceCall), block, options)).map(answeredUint);
    },
    async fetchTotalSupplies(tokens, block, options) {
      const calls = tokens.map((to) => ({ to, data: TOTAL_SUPPLY }));
      return (await callEach(calls, block, options)).map(answeredUint);
    },
    async fetchTokenMetadata(tokens, block, options) {
      const calls = tokens.flatMap((to) => METADATA.map((data) => ({ to, data })));
      const answers = await callEach(calls, block, options);
      return tokens.map((_, index) => {
        const [name = null, symbol = null, decimals = null] = answers.slice(index * 3);
        if (!isAnswered(name) || !isAnswered(symbol) || !isAnswered(decimals)) return undefined;
        return {
          name: decodeText(name),
          symbol: decodeText(symbol),
          decimals: decodeUint8(decimals),
        };
      });
    },
  };
}

function isAnswered(returned: Returned): returned is Hex | null {
  return !(returned instanceof NodeError);
}

function answeredUint(returned: Returned): bigint | null | undefined {
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

import { numberToHex, pad } from "viem";
import { type Address, wordOfAddress } from "../core/address.ts";
import { type Hex, hexConcat, isHexData } from "../core/hex.ts";
import { isQuantity, quantityToBigInt } from "../core/quantity.ts";
import { decodeText, decodeUint, decodeUint8 } from "./abi.ts";
import type {
  AskOptions,
  BlockReference,
  ContractCall,
  StateReader,
  TokenBalanceQuery,
} from "./chain.ts";
import { createContractCaller, type ReadState, type Returned } from "./contract-calls.ts";
import { NodeError } from "./errors.ts";
import type { Features } from "./features.ts";
import { type RpcClient, resultOf } from "./rpc-client.ts";
import { readAt, type StateCall } from "./state-pinning.ts";

// Selectors: ERC-20 and ERC-721, ERC-1155, ERC-165.
const BALANCE_OF: Hex = "0x70a08231";
const BALANCE_OF_ID: Hex = "0x00fdd58e";
const TOTAL_SUPPLY: Hex = "0x18160ddd";
const NAME: Hex = "0x06fdde03";
const SYMBOL: Hex = "0x95d89b41";
const DECIMALS: Hex = "0x313ce567";
const SUPPORTS_INTERFACE: Hex = "0x01ffc9a7";

/** Creates the reads of `StateReader` over the nodes of a client. */
export function createStateReader(client: RpcClient, features: Features): StateReader {
  const caller = createContractCaller();

  function atNode<Result>(
    block: BlockReference,
    options: AskOptions,
    task: (read: ReadState) => Promise<Result>,
  ): Promise<Result> {
    return client.onNode(options, async (node, ask) => {
      const known = await features.learn(node);
      return task((calls) => readAt(block, calls, ask, known));
    });
  }

  /** The results of calls none of which may fail. */
  function readAll<Value>(
    calls: readonly StateCall[],
    parse: (result: unknown) => Value | undefined,
    block: BlockReference,
    options: AskOptions,
  ): Promise<Value[]> {
    return atNode(block, options, async (read) => {
      const outcomes = await read(calls);
      return outcomes.map((outcome, index) => {
        const value = parse(resultOf(outcome));
        if (value !== undefined) return value;
        throw new NodeError("bad-answer", `${calls[index]?.method}: no answer of that kind`);
      });
    });
  }

  function callEach(
    calls: readonly ContractCall[],
    block: BlockReference,
    options: AskOptions = {},
  ): Promise<Returned[]> {
    return atNode(block, options, (read) => caller.call(calls, block, read));
  }

  async function fetchCalls(
    calls: readonly ContractCall[],
    block: BlockReference,
    options?: AskOptions,
  ): Promise<(Hex | null)[]> {
    return (await callEach(calls, block, options)).map((returned) => {
      if (returned instanceof NodeError) throw returned;
      return returned;
    });
  }

  return {
    fetchCalls,
    fetchCoinBalances: (addresses, block, options = {}) =>
      readAll(
        addresses.map((address) => ({ method: "eth_getBalance", params: [address] })),
        (result) => (isQuantity(result) ? quantityToBigInt(result) : undefined),
        block,
        options,
      ),
    fetchCodes: (addresses, block, options = {}) =>
      readAll(
        addresses.map((address) => ({ method: "eth_getCode", params: [address] })),
        (result) => (isHexData(result) ? result : undefined),
        block,
        options,
      ),
    fetchStorage: (slots, block, options = {}) =>
      readAll(
        slots.map(({ address, slot }) => ({ method: "eth_getStorageAt", params: [address, slot] })),
        (result) => (isQuantity(result) ? pad(result, { size: 32 }) : undefined),
        block,
        options,
      ),
    async fetchTokenBalances(queries, block, options) {
      return (await callEach(queries.map(balanceCall), block, options)).map(answeredUint);
    },
    async fetchTotalSupplies(tokens, block, options) {
      const calls = tokens.map((to) => ({ to, data: TOTAL_SUPPLY }));
      return (await callEach(calls, block, options)).map(answeredUint);
    },
    async fetchTokenMetadata(tokens, block, options) {
      const selectors = [NAME, SYMBOL, DECIMALS];
      const calls = tokens.flatMap((to) => selectors.map((data) => ({ to, data })));
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
    async fetchSupportedInterfaces(queries, block, options) {
      const calls = queries.flatMap(({ address, interfaceId }) =>
        ["0x01ffc9a7" as const, "0xffffffff" as const, interfaceId].map((id) =>
          interfaceCall(address, id),
        ),
      );
      const answers = (await fetchCalls(calls, block, options)).map(decodeUint);
      // ERC-165, "How to detect if a contract implements ERC-165": it must deny the third id of all.
      return queries.map((_, index) => {
        const [itself, invalid, asked] = answers.slice(index * 3);
        return itself === 1n && invalid === 0n && asked === 1n;
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
  const data =
    id === undefined
      ? hexConcat(BALANCE_OF, wordOfAddress(owner))
      : hexConcat(BALANCE_OF_ID, wordOfAddress(owner), numberToHex(id, { size: 32 }));
  return { to: token, data };
}

function interfaceCall(to: Address, id: Hex): ContractCall {
  return { to, data: hexConcat(SUPPORTS_INTERFACE, pad(id, { dir: "right", size: 32 })) };
}

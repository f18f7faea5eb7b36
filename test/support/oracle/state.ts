import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { hexNumber } from "./chain.ts";
import type { Call, JsonRpc } from "./json-rpc.ts";

/** What is held by whom: of the token as a whole, or of one id of it. */
export interface HoldingKey {
  token: Address;
  owner: Address;
  /** Only for ERC-1155. */
  id: bigint | null;
}

/** What a token says of itself; null where it gives no usable answer. `bytes` are those of the text as returned. */
export interface Metadata {
  name: Buffer | null;
  symbol: Buffer | null;
  decimals: number | null;
  totalSupply: bigint | null;
}

/** Reads of the state after a block, one question each. Null: the contract failed or answered something malformed. */
export interface StateReader {
  coinBalances(addresses: readonly Address[], block: number): Promise<bigint[]>;
  holdings(keys: readonly HoldingKey[], block: number): Promise<(bigint | null)[]>;
  metadata(tokens: readonly Address[], block: number): Promise<Metadata[]>;
  /** Code of each address after a block, `0x` where there is none. */
  codes(places: readonly { address: Address; blockNumber: number }[]): Promise<Hex[]>;
}

const ABI = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function balanceOf(address, uint256) view returns (uint256)",
]);
const SELECTORS = {
  name: "0x06fdde03",
  symbol: "0x95d89b41",
  decimals: "0x313ce567",
  totalSupply: "0x18160ddd",
} as const;
/** Longer answers are not usable. */
const LONGEST_ANSWER = 65_536;

function balanceCall({ owner, id }: HoldingKey): Hex {
  return id === null
    ? encodeFunctionData({ abi: ABI, functionName: "balanceOf", args: [owner] })
    : encodeFunctionData({ abi: ABI, functionName: "balanceOf", args: [owner, id] });
}

/** The first word of an answer of at least one word. */
function numberIn(answer: Buffer | null): bigint | null {
  if (!answer || answer.length < 32) return null;
  return BigInt(`0x${answer.subarray(0, 32).toString("hex")}`);
}

/** The bytes of an ABI-encoded string, or of a bytes32 without the zero bytes at its end. */
function textIn(answer: Buffer | null): Buffer | null {
  if (!answer || answer.length > LONGEST_ANSWER) return null;
  if (answer.length === 32) {
    return answer.subarray(0, answer.findLastIndex((byte) => byte !== 0) + 1);
  }
  const offset = numberIn(answer);
  if (offset === null || offset > BigInt(answer.length - 32)) return null;
  const start = Number(offset) + 32;
  const length = numberIn(answer.subarray(start - 32));
  if (length === null || length > BigInt(answer.length - start)) return null;
  return answer.subarray(start, start + Number(length));
}

/** Reader of the state behind `rpc`. */
export function createStateReader(rpc: JsonRpc): StateReader {
  async function callAll(
    calls: readonly [Address, Hex][],
    block: number,
  ): Promise<(Buffer | null)[]> {
    const answers = await rpc.batch(
      calls.map(
        ([to, data]): Call => ({
          method: "eth_call",
          params: [{ to, data }, hexNumber(block)],
        }),
      ),
    );
    return answers.map(({ result }) =>
      typeof result === "string" ? Buffer.from(result.slice(2), "hex") : null,
    );
  }

  return {
    async coinBalances(addresses, block) {
      const balances = await rpc.requestAll<Hex>(
        addresses.map((address) => ({
          method: "eth_getBalance",
          params: [address, hexNumber(block)],
        })),
      );
      return balances.map(BigInt);
    },
    codes: (places) =>
      rpc.requestAll<Hex>(
        places.map(({ address, blockNumber }) => ({
          method: "eth_getCode",
          params: [address, hexNumber(blockNumber)],
        })),
      ),
    async holdings(keys, block) {
      const calls = keys.map((key): [Address, Hex] => [key.token, balanceCall(key)]);
      return (await callAll(calls, block)).map(numberIn);
    },
    async metadata(tokens, block) {
      const selectors = Object.values(SELECTORS);
      const answers = await callAll(
        tokens.flatMap((token) => selectors.map((data): [Address, Hex] => [token, data])),
        block,
      );
      return tokens.map((_, index) => {
        const [name = null, symbol = null, decimals = null, supply = null] = answers.slice(
          index * 4,
        );
        const places = numberIn(decimals);
        return {
          name: textIn(name),
          symbol: textIn(symbol),
          decimals: places === null || places > 255n ? null : Number(places),
          totalSupply: numberIn(supply),
        };
      });
    },
  };
}

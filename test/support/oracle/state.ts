import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { hexNumber } from "./chain.ts";
import type { Call, JsonRpc } from "./json-rpc.ts";

/** Holders and holdings: of the whole token, or of one id of it. */
export interface HoldingKey {
  token: Address;
  owner: Address;
  /** Only for ERC-1155. */
  id: bigint | null;
}

export interface OracleHolding extends HoldingKey {
  /** The contract's answer at the head; null when it does not answer. */
  balance: bigint | null;
  /** The sum of the transfers. */
  sum: bigint;
  /** Block of the last transfer that touched it. */
  lastBlock: number;
}

/** Owner of an ERC-721 token by what moved it last; the zero address after a burn. */
export interface NftOwner {
  token: Address;
  id: bigint;
  owner: Address;
  blockNumber: number;
}

/** A token's description of itself; null where it has no usable answer. `bytes` are those of the text as returned. */
export interface Metadata {
  name: Buffer | null;
  symbol: Buffer | null;
  decimals: number | null;
  totalSupply: bigint | null;
}

/** An address, and the block after which its state is meant. */
interface Place {
  address: Address;
  blockNumber: number;
}

/** Reads of the state, one question each. Null: the contract failed or answered something malformed. */
export interface StateReader {
  coinBalances(places: readonly Place[]): Promise<bigint[]>;
  /** `0x` where there is no code. */
  codes(places: readonly Place[]): Promise<Hex[]>;
  holdings(keys: readonly (HoldingKey & { blockNumber: number })[]): Promise<(bigint | null)[]>;
  supplies(places: readonly Place[]): Promise<(bigint | null)[]>;
  metadata(places: readonly Place[]): Promise<Metadata[]>;
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
    calls: readonly { address: Address; data: Hex; blockNumber: number }[],
  ): Promise<(Buffer | null)[]> {
    const answers = await rpc.batch(
      calls.map(
        ({ address: to, data, blockNumber }): Call => ({
          method: "eth_call",
          params: [{ to, data }, hexNumber(blockNumber)],
        }),
      ),
    );
    return answers.map(({ result }) =>
      typeof result === "string" ? Buffer.from(result.slice(2), "hex") : null,
    );
  }

  const askAll = (method: string, places: readonly Place[]): Promise<Hex[]> =>
    rpc.requestAll<Hex>(
      places.map(({ address, blockNumber }) => ({
        method,
        params: [address, hexNumber(blockNumber)],
      })),
    );

  return {
    coinBalances: async (places) => (await askAll("eth_getBalance", places)).map(BigInt),
    codes: (places) => askAll("eth_getCode", places),
    async holdings(keys) {
      const calls = keys.map((key) => ({ ...key, address: key.token, data: balanceCall(key) }));
      return (await callAll(calls)).map(numberIn);
    },
    async supplies(places) {
      const calls = places.map((place) => ({ ...place, data: SELECTORS.totalSupply }));
      return (await callAll(calls)).map(numberIn);
    },
    async metadata(places) {
      const selectors = Object.values(SELECTORS);
      const answers = await callAll(
        places.flatMap((place) => selectors.map((data) => ({ ...place, data }))),
      );
      return places.map((_, index) => {
        const [name = null, symbol = null, decimals = null, supply = null] = answers.slice(
          index * selectors.length,
        );
        const digits = numberIn(decimals);
        return {
          name: textIn(name),
          symbol: textIn(symbol),
          decimals: digits === null || digits > 255n ? null : Number(digits),
          totalSupply: numberIn(supply),
        };
      });
    },
  };
}

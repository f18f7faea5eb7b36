import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from "viem";
import type { JsonRpc } from "../support/oracle/json-rpc.ts";

// The contracts' own words, by eth_call at one block, and which addresses the chain has named to a token. Nothing of src/.

type Standard = "ERC-20" | "ERC-721" | "ERC-1155";

/** A token as its contract describes itself after a block. Null where it gives no answer. */
export interface Truth {
  hasCode: boolean;
  /** Undefined: it answers as no token. */
  standard: Standard | undefined;
  name: string | null;
  symbol: string | null;
  decimals: bigint | null;
  supply: bigint | null;
  /** Balances of the given account; of ERC-1155 the sum of the ids in `units`. */
  balances: Map<Address, bigint | null>;
  units: Map<Address, Map<bigint, bigint>>;
  /** Owners of the ids; without those that have none. */
  owners: Map<bigint, Address>;
}

const ABI: Abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function supportsInterface(bytes4) view returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function ownerOf(uint256) view returns (address)",
]);
const UNIT_ABI: Abi = parseAbi(["function balanceOf(address, uint256) view returns (uint256)"]);

/** anvil's answer about a removed block. */
const GONE = /block|header|unknown|resource not found/i;

/** Asks a token at a block about these holders and ids. */
export async function readTruth(
  rpc: JsonRpc,
  blockHash: string,
  token: Address,
  holders: readonly Address[],
  ids: readonly bigint[],
): Promise<Truth> {
  const at = { blockHash };

  async function ask(
    questions: readonly { abi?: Abi; name: string; args?: readonly unknown[] }[],
  ): Promise<unknown[]> {
    const calls = questions.map(({ abi = ABI, name, args = [] }) => ({
      method: "eth_call",
      params: [{ to: token, data: encodeFunctionData({ abi, functionName: name, args }) }, at],
    }));
    const answers = await rpc.batch(calls);
    return answers.map(({ result, error }, index) => {
      if (error && GONE.test(error.message)) throw new GoneError(error.message);
      const { abi = ABI, name } = questions[index] as { abi?: Abi; name: string };
      try {
        return decodeFunctionResult({ abi, functionName: name, data: result as Hex });
      } catch {
        return null;
      }
    });
  }

  const [answer] = await rpc.batch([{ method: "eth_getCode", params: [token, at] }]);
  if (answer?.error) throw new GoneError(answer.error.message);
  const code = answer?.result as Hex;
  const first = holders[0] ?? token;
  const [name, symbol, decimals, supply, is1155, is721, one, owner, unit] = await ask([
    { name: "name" },
    { name: "symbol" },
    { name: "decimals" },
    { name: "totalSupply" },
    { name: "supportsInterface", args: ["0xd9b67a26"] },
    { name: "supportsInterface", args: ["0x80ac58cd"] },
    { name: "balanceOf", args: [first] },
    { name: "ownerOf", args: [ids[0] ?? 1n] },
    { abi: UNIT_ABI, name: "balanceOf", args: [first, ids[0] ?? 1n] },
  ]);
  const standard: Standard | undefined =
    is1155 === true && unit !== null
      ? "ERC-1155"
      : is721 === true || (owner !== null && decimals === null)
        ? "ERC-721"
        : decimals !== null || one !== null
          ? "ERC-20"
          : undefined;
  const truth: Truth = {
    hasCode: code !== "0x",
    standard: code === "0x" ? undefined : standard,
    name: name as string | null,
    symbol: symbol as string | null,
    decimals: decimals as bigint | null,
    supply: supply as bigint | null,
    balances: new Map(),
    units: new Map(),
    owners: new Map(),
  };
  if (standard === "ERC-1155") {
    const pairs = holders.flatMap((holder) => ids.map((id) => ({ holder, id })));
    const units = await ask(
      pairs.map(({ holder, id }) => ({ abi: UNIT_ABI, name: "balanceOf", args: [holder, id] })),
    );
    for (const holder of holders) {
      truth.units.set(holder, new Map());
      truth.balances.set(holder, 0n);
    }
    for (const [index, { holder, id }] of pairs.entries()) {
      const held = (units[index] ?? 0n) as bigint;
      if (held > 0n) truth.units.get(holder)?.set(id, held);
      truth.balances.set(holder, (truth.balances.get(holder) ?? 0n) + held);
    }
    return truth;
  }
  const balances = await ask(holders.map((holder) => ({ name: "balanceOf", args: [holder] })));
  for (const [index, holder] of holders.entries()) {
    truth.balances.set(holder, balances[index] as bigint | null);
  }
  if (standard === "ERC-721") {
    const owners = await ask(ids.map((id) => ({ name: "ownerOf", args: [id] })));
    for (const [index, id] of ids.entries()) {
      const held = owners[index] as Address | null;
      if (held && BigInt(held) > 0n) truth.owners.set(id, held.toLowerCase() as Address);
    }
  }
  return truth;
}

/** The block that was to be asked at has been taken back. */
export class GoneError extends Error {}

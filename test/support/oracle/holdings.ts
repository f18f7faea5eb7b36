import { type Address, zeroAddress } from "viem";
import type { OracleTransfer } from "./decode.ts";
import type { Oracle } from "./oracle.ts";
import type { HoldingKey } from "./state.ts";

export interface OracleHolding extends HoldingKey {
  /** What the contract says at the head; null when it does not answer. */
  balance: bigint | null;
  /** What the transfers add up to. */
  sum: bigint;
  /** Block of the last transfer that touched it. */
  lastBlock: number;
}

/** Owner of an ERC-721 token by its last transfer; the zero address after a burn. */
export interface NftOwner {
  token: Address;
  id: bigint;
  owner: Address;
  blockNumber: number;
}

/** What each owner holds by the transfers, as a whole or by the id that `idOf` tells; balances are not read yet. */
export function addUp(
  transfers: readonly OracleTransfer[],
  idOf: (transfer: OracleTransfer) => bigint | null,
): OracleHolding[] {
  const holdings = new Map<string, OracleHolding>();
  for (const transfer of transfers) {
    const { token, from, to, standard, amount, blockNumber } = transfer;
    const moved = standard === 721 ? 1n : (amount ?? 0n);
    const id = idOf(transfer);
    for (const [owner, change] of [
      [from, -moved],
      [to, moved],
    ] as const) {
      if (owner === zeroAddress) continue;
      const key = `${token} ${owner} ${id}`;
      const before = holdings.get(key)?.sum ?? 0n;
      const held = {
        token,
        owner,
        id,
        balance: null,
        sum: before + change,
        lastBlock: blockNumber,
      };
      holdings.set(key, held);
    }
  }
  return [...holdings.values()];
}

/** Who owns each ERC-721 token that was ever moved. */
export function ownersByLastTransfer(transfers: readonly OracleTransfer[]): NftOwner[] {
  const owners = new Map<string, NftOwner>();
  for (const { standard, token, id, to, blockNumber } of transfers) {
    if (standard !== 721 || id === null) continue;
    owners.set(`${token} ${id}`, { token, id, owner: to, blockNumber });
  }
  return [...owners.values()];
}

/**
 * The ids that add up to a holding as a whole: of a multi-token no contract tells it. One of another standard tells it itself,
 * also where it moves ids beside.
 */
export function idsOf(
  { token, owner, id }: HoldingKey,
  { tokens, idHoldings }: Pick<Oracle, "tokens" | "idHoldings">,
): OracleHolding[] {
  if (id !== null || tokens.get(token)?.standard !== 1155) return [];
  return idHoldings.filter((part) => part.token === token && part.owner === owner);
}

/** What is believed of a holding: what its contract tells, else its transfers where somebody can hold as much. */
export function amountOf({ balance, sum }: Pick<OracleHolding, "balance" | "sum">): bigint {
  return balance ?? (sum === BigInt.asUintN(256, sum) ? sum : 0n);
}

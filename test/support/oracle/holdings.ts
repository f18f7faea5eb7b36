import { type Address, zeroAddress } from "viem";
import type { OracleLog, OracleTransfer } from "./decode.ts";
import type { HoldingKey, NftOwner, OracleHolding } from "./state.ts";
import { consecutiveMovementOf } from "./transfers.ts";

/** Each owner's holding by the transfers, as a whole or by the id of `idOf`; balances are not read yet. */
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

/** The owner of each ERC-721 token that was ever moved, by its own transfers alone. */
export function ownersByLastTransfer(transfers: readonly OracleTransfer[]): NftOwner[] {
  return ownersByLastMovement(transfers, []);
}

/** The same, where logs that move many ids (ERC-2309) move those that were ever moved alone. */
export function ownersByLastMovement(
  transfers: readonly OracleTransfer[],
  logs: readonly OracleLog[],
): NftOwner[] {
  const owners = new Map<string, NftOwner>();
  const moves = [
    ...transfers.map((transfer) => ({ ...transfer, many: undefined })),
    ...logs.map((log) => ({ ...log, many: consecutiveMovementOf(log.topics, log.data) })),
  ].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  for (const move of moves) {
    const { blockNumber } = move;
    if ("token" in move) {
      const { standard, token, id, to } = move;
      if (standard !== 721 || id === null) continue;
      owners.set(`${token} ${id}`, { token, id, owner: to, blockNumber });
    } else if (move.many) {
      const { firstId, lastId, to } = move.many;
      for (const [key, known] of owners) {
        if (known.token !== move.address || known.id < firstId || known.id > lastId) continue;
        owners.set(key, { ...known, owner: to, blockNumber });
      }
    }
  }
  return [...owners.values()];
}

/** The last block that moved a holding as a whole, by its transfers or by many ids together. */
export function lastTouch(
  { token, owner, lastBlock }: OracleHolding,
  logs: readonly OracleLog[],
): number {
  const touching = logs.findLast(({ address, topics, data }) => {
    const moved = address === token ? consecutiveMovementOf(topics, data) : undefined;
    return moved?.from === owner || moved?.to === owner;
  });
  return Math.max(lastBlock, touching?.blockNumber ?? 0);
}

/**
 * The ids that sum to a whole holding: a multi-token's contract does not report it. One of another
 * standard does, also where it moves ids.
 */
export function idsOf(
  { token, owner, id }: HoldingKey,
  {
    tokens,
    idHoldings,
  }: {
    tokens: ReadonlyMap<Address, { standard: OracleTransfer["standard"] }>;
    idHoldings: readonly OracleHolding[];
  },
): OracleHolding[] {
  if (id !== null || tokens.get(token)?.standard !== 1155) return [];
  return idHoldings.filter((part) => part.token === token && part.owner === owner);
}

/** The accepted amount of a holding: its contract's answer, else the sum of its transfers where that is possible. */
export function amountOf({ balance, sum }: Pick<OracleHolding, "balance" | "sum">): bigint {
  return balance ?? (sum === BigInt.asUintN(256, sum) ? sum : 0n);
}

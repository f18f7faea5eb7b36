import type { Hex } from "../../src/core/hex.ts";
import { type ChainRows, SIDE } from "../../src/store/chain-tables.ts";

type Row<Name extends keyof ChainRows> = ChainRows[Name][number];

/** Where a transaction's hash leads. */
export function transactionKey({ hash, blockNumber, transactionIndex }: Row<"transactions">) {
  return { hash, blockNumber, transactionIndex };
}

/** A transaction under each address that takes part in it. */
export function activityOfTransaction(row: Row<"transactions">) {
  const { blockNumber, transactionIndex } = row;
  return sidesOf(row.fromAddress, row.toAddress, row.createdContract).map(([address, sides]) => ({
    address,
    blockNumber,
    transactionIndex,
    sides,
  }));
}

/** An internal transaction under each address that takes part in it. */
export function activityOfFrame(row: Row<"internalTransactions">) {
  const { blockNumber, transactionIndex, position, type, value } = row;
  const valued = type !== "call" || BigInt(value) > 0n;
  return sidesOf(row.fromAddress, row.toAddress, row.createdContract).map(([address, sides]) => ({
    address,
    blockNumber,
    transactionIndex,
    position,
    sides,
    valued,
  }));
}

/** A token transfer under each address that takes part in it. */
export function activityOfTransfer(row: Row<"tokenTransfers">) {
  const { standard, blockNumber, logIndex, batchIndex, token: tokenAddress } = row;
  return [...new Set([row.fromAddress, row.toAddress])].map((address) => ({
    address,
    standard,
    blockNumber,
    logIndex,
    batchIndex,
    token: tokenAddress,
  }));
}

function sidesOf(sender: Hex, receiver: Hex | null, created: Hex | null): [Hex, number][] {
  const sides = new Map<Hex, number>([[sender, SIDE.sender]]);
  if (receiver) sides.set(receiver, (sides.get(receiver) ?? 0) | SIDE.receiver);
  if (created) sides.set(created, (sides.get(created) ?? 0) | SIDE.created);
  return [...sides];
}

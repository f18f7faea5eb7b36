import { toEventSelector } from "viem";
import type { Hex } from "../../src/core/evm/hex.ts";
import { type ChainRows, SIDE } from "../../src/store/writer/chain-tables.ts";

type Row<Name extends keyof ChainRows> = ChainRows[Name][number];

/** Where a transaction's hash leads. */
export function transactionKey({ hash, blockNumber, transactionIndex }: Row<"transactions">) {
  return { hash, blockNumber, transactionIndex };
}

/** First topics of the events for a new implementation of a proxy or a beacon. */
export const IMPLEMENTATION_CHANGES: ReadonlySet<Hex | null | undefined> = new Set(
  [
    "Upgraded(address)",
    "BeaconUpgraded(address)",
    "ChangedMasterCopy(address)",
    "DiamondCut((address,uint8,bytes4[])[],address,bytes)",
  ].map(toEventSelector),
);

/** Positions of the logs about a new implementation. */
export function implementationChanges(logs: readonly Row<"logs">[]) {
  return logs
    .filter(({ topic0 }) => IMPLEMENTATION_CHANGES.has(topic0))
    .map(({ address, blockNumber, logIndex }) => ({ address, blockNumber, logIndex }));
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
  return sidesOf(row.fromAddress, row.toAddress, null).map(([address, sides]) => ({
    address,
    standard,
    blockNumber,
    logIndex,
    batchIndex,
    token: tokenAddress,
    sides,
  }));
}

function sidesOf(sender: Hex, receiver: Hex | null, created: Hex | null): [Hex, number][] {
  const sides = new Map<Hex, number>([[sender, SIDE.sender]]);
  if (receiver) sides.set(receiver, (sides.get(receiver) ?? 0) | SIDE.receiver);
  if (created) sides.set(created, (sides.get(created) ?? 0) | SIDE.created);
  return [...sides];
}

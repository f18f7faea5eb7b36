import type { Address, Hex } from "viem";
import type { ChainBlock } from "./chain.ts";
import type { InternalTransaction } from "./frames.ts";

/** A creation that took effect, or a self-destruct that removed the code. */
export interface ContractEvent {
  address: Address;
  blockNumber: number;
  transactionIndex: number;
  position: number;
}

export interface ContractCreation extends ContractEvent {
  /** The account that ran CREATE: the sender at position 0, else the factory. */
  creator: Address;
  /** The deployed code. */
  code: Hex;
}

/** Creations of a block that nothing undid. Without traces only those of the transactions themselves are known. */
export function creationsOf(
  { block, receipts, traces }: ChainBlock,
  entries: readonly InternalTransaction[],
): ContractCreation[] {
  const blockNumber = Number(block.number);
  if (traces) {
    return entries.flatMap(({ created, effective, from, transactionIndex, position, output }) =>
      created && effective
        ? [
            {
              address: created,
              blockNumber,
              transactionIndex,
              position,
              creator: from,
              code: output ?? "0x",
            },
          ]
        : [],
    );
  }
  return block.transactions.flatMap(({ to, from }, transactionIndex) => {
    const receipt = receipts[transactionIndex];
    const address = receipt?.contractAddress;
    return to === null && address && receipt.status !== "0x0"
      ? [{ address, blockNumber, transactionIndex, position: 0, creator: from, code: "0x" }]
      : [];
  });
}

/**
 * Self-destructs of a block that removed code: all of them before Cancun, since then (EIP-6780) only those of
 * contracts that the same transaction created.
 */
export function destructionsOf(
  { block }: ChainBlock,
  entries: readonly InternalTransaction[],
): ContractEvent[] {
  const isCancun = block.excessBlobGas !== undefined;
  const isBornBefore = ({ from, transactionIndex, position }: InternalTransaction): boolean =>
    entries.some(
      (entry) =>
        entry.transactionIndex === transactionIndex &&
        entry.position < position &&
        entry.effective &&
        entry.created === from,
    );
  return entries
    .filter(({ type, effective }) => type === "selfdestruct" && effective)
    .filter((entry) => !isCancun || isBornBefore(entry))
    .map(({ from, blockNumber, transactionIndex, position }) => ({
      address: from,
      blockNumber,
      transactionIndex,
      position,
    }));
}

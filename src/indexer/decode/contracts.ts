import { keccak256 } from "viem";
import type { RawBlock } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/quantity.ts";
import type { ChainRows } from "../../store/chain-tables.ts";
import { CREATE_TYPES, type PlacedFrame } from "./frames.ts";

/** Adds the creation or destruction of a contract that the frame brought about, if it did. */
export function decodeContractChange(rows: ChainRows, block: RawBlock, placed: PlacedFrame): void {
  const { frame, transactionIndex, position, effective } = placed;
  if (!effective) return;
  const place = { blockNumber: quantityToNumber(block.number), transactionIndex, position };
  if (CREATE_TYPES.has(frame.type) && frame.to !== null) {
    rows.contracts.push({
      address: frame.to,
      ...place,
      creator: frame.from,
      codeHash: keccak256(frame.output ?? "0x"),
    });
  } else if (frame.type === "selfdestruct") {
    // Since Cancun (EIP-6780) only a contract of the same transaction goes away.
    const isCancun = block.excessBlobGas !== undefined;
    const created = rows.contracts.findLast((row) => row.address === frame.from);
    const inSameTransaction =
      created?.blockNumber === place.blockNumber && created.transactionIndex === transactionIndex;
    if (!isCancun || inSameTransaction) {
      rows.contractDestructions.push({ address: frame.from, ...place });
    }
  }
}

/** Adds the contracts that a block's transactions created themselves: all that is known without traces. */
export function decodeTopLevelCreations(rows: ChainRows, blockNumber: number): void {
  for (const row of rows.transactions) {
    if (row.blockNumber !== blockNumber || row.createdContract === null) continue;
    rows.contracts.push({
      address: row.createdContract,
      blockNumber,
      transactionIndex: row.transactionIndex,
      position: 0,
      creator: row.fromAddress,
      codeHash: null,
    });
  }
}

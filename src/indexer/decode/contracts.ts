import type { RawBlock } from "../../chain/types.ts";
import { keccak256 } from "../../core/deep-imports.ts";
import type { Address } from "../../core/evm/address.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";
import { CREATE_TYPES, type PlacedFrame } from "./frames.ts";

/** Adds the contract creation or destruction of a frame, if any. */
export function decodeContractChange(rows: ChainRows, block: RawBlock, placed: PlacedFrame): void {
  const { frame, transactionIndex, position, effective } = placed;
  if (!effective) return;
  const place = { blockNumber: quantityToNumber(block.number), transactionIndex, position };
  if (CREATE_TYPES.has(frame.type) && frame.to !== null) {
    rows.contracts.push({
      address: frame.to,
      ...place,
      creator: frame.from,
      codeHash: placed.isMisjudged ? null : keccak256(frame.output ?? "0x"),
    });
  } else if (frame.type === "selfdestruct") {
    // Since Cancun (EIP-6780) only a contract created in the same transaction is removed. Chains
    // with this rule but without blobs have their code checked (`doubtful_destructions`).
    const isCancun = typeof block.excessBlobGas === "string";
    if (!isCancun || isCreatedIn(rows, place, frame.from)) {
      rows.contractDestructions.push({ address: frame.from, ...place });
    }
  }
}

/** Returns whether the last decoded transaction created the contract. */
function isCreatedIn(
  { contracts }: ChainRows,
  { blockNumber, transactionIndex }: { blockNumber: number; transactionIndex: number },
  address: Address,
): boolean {
  for (let index = contracts.length - 1; index >= 0; index--) {
    const row = contracts[index];
    if (row?.blockNumber !== blockNumber || row.transactionIndex !== transactionIndex) return false;
    if (row.address === address) return true;
  }
  return false;
}

/** Adds the contracts that transactions created directly. Without traces no others are known. */
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

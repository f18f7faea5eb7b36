import type { FetchedBlock, RawBlock } from "../chain/types.ts";
import { ZERO_ADDRESS } from "../core/address.ts";
import { type Hex, hexConcat, hexFromBytes } from "../core/hex.ts";
import { keccak256 } from "../core/viem.ts";

const PREFIX = hexFromBytes(Buffer.from("matic-bor-receipt-"));

/**
 * The block without the transaction by which Polygon takes over messages of Ethereum. Nodes show it behind the others, but
 * the block's roots, bloom and gas do not cover it.
 */
export function withoutStateSync(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  if (!endsWithStateSync(block)) return fetched;
  const transactions = block.transactions.slice(0, -1);
  return { ...fetched, block: { ...block, transactions }, receipts: receipts.slice(0, -1) };
}

/** Whether the last transaction is such a one: its hash follows from the block's number and hash. */
export function endsWithStateSync({ number, hash, transactions }: RawBlock): boolean {
  const last = transactions.at(-1);
  return last?.from === ZERO_ADDRESS && last.hash === stateSyncHash(number, hash);
}

function stateSyncHash(blockNumber: Hex, blockHash: Hex): Hex {
  const word: Hex = `0x${blockNumber.slice(2).padStart(16, "0")}`;
  return keccak256(hexConcat(PREFIX, word, blockHash));
}

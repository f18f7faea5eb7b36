import { keccak256 } from "../../core/deep-imports.ts";
import { ZERO_ADDRESS } from "../../core/evm/address.ts";
import { type Hex, hexConcat, hexFromBytes } from "../../core/evm/hex.ts";
import type { FetchedBlock, RawBlock } from "../types.ts";

const PREFIX = hexFromBytes(Buffer.from("matic-bor-receipt-"));

/** Type of these transactions from Madhugiri on, which puts them into the block (PIP-74). */
const STATE_SYNC_TYPE = "0x7f";

/** Returns the hash of Polygon's state-sync transaction, the last of the block, which not every tracer knows. */
export function stateSyncHash(block: RawBlock): Hex | undefined {
  const last = block.transactions.at(-1);
  if (last?.from !== ZERO_ADDRESS) return undefined;
  const isStateSync = last.type === STATE_SYNC_TYPE || last.hash === hashBehind(block);
  return isStateSync ? last.hash : undefined;
}

/** Returns the block without the state-sync transaction of before Madhugiri, which roots, bloom and gas do not cover. */
export function withoutStateSync(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  const hash = stateSyncHash(block);
  if (hash === undefined || hash !== hashBehind(block)) return fetched;
  const transactions = block.transactions.slice(0, -1);
  return { ...fetched, block: { ...block, transactions }, receipts: receipts.slice(0, -1) };
}

/** The hash that such a transaction has behind a block. */
function hashBehind({ number, hash }: RawBlock): Hex {
  const word: Hex = `0x${number.slice(2).padStart(16, "0")}`;
  return keccak256(hexConcat(PREFIX, word, hash));
}

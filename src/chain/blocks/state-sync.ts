import { keccak256 } from "../../core/deep-imports.ts";
import { ZERO_ADDRESS } from "../../core/evm/address.ts";
import { type Hex, hexConcat, hexFromBytes } from "../../core/evm/hex.ts";
import type { FetchedBlock, RawBlock } from "../types.ts";

const PREFIX = hexFromBytes(Buffer.from("matic-bor-receipt-"));

/** Type of these transactions since Madhugiri, which includes them in the block (PIP-74). */
const STATE_SYNC_TYPE = "0x7f";

/** Returns the hash of Polygon's state-sync transaction, the block's last, if any. Not every tracer reports it. */
export function stateSyncHash(block: RawBlock): Hex | undefined {
  const last = block.transactions.at(-1);
  if (last?.from !== ZERO_ADDRESS) return undefined;
  const isStateSync = last.type === STATE_SYNC_TYPE || last.hash === hashBehind(block);
  return isStateSync ? last.hash : undefined;
}

/** Removes a state-sync transaction from before Madhugiri: the block's roots, bloom and gas do not cover it. */
export function withoutStateSync(fetched: FetchedBlock): FetchedBlock {
  const { block, receipts } = fetched;
  const hash = stateSyncHash(block);
  if (hash === undefined || hash !== hashBehind(block)) return fetched;
  const transactions = block.transactions.slice(0, -1);
  return { ...fetched, block: { ...block, transactions }, receipts: receipts.slice(0, -1) };
}

/** Returns the hash that a block's state-sync transaction has before Madhugiri. */
function hashBehind({ number, hash }: RawBlock): Hex {
  const word: Hex = `0x${number.slice(2).padStart(16, "0")}`;
  return keccak256(hexConcat(PREFIX, word, hash));
}

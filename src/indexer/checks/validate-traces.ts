import { stateSyncHash } from "../../chain/blocks/state-sync.ts";
import { framesOf } from "../../chain/traces/frames.ts";
import type { CallFrame, FetchedBlock, TransactionTrace } from "../../chain/types.ts";
import { isAddress } from "../../core/evm/address.ts";
import { isHexData } from "../../core/evm/hex.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import { CREATE_TYPES } from "../decode/frames.ts";
import type { Check } from "./check.ts";

/** Checks that the traces belong to the block's transactions. */
export function validateTraces(
  { block, receipts }: FetchedBlock,
  traces: TransactionTrace[],
  check: Check,
): void {
  const { requireThat, prefer } = check;
  const { transactions } = block;
  const stateSync = stateSyncHash(block);
  const untraced = stateSync !== undefined && traces.length === transactions.length - 1;
  prefer(
    !untraced,
    "untraced-state-sync",
    "the tracer leaves the state-sync transaction out, whose internal transactions stay unknown",
  );
  const untraceable = quantityToNumber(block.number) === 0 && traces.length === 0;
  requireThat(
    traces.length === transactions.length || untraced || untraceable,
    `${transactions.length} transactions but ${traces.length} traces; where no node has the others, ` +
      "begin an empty database with TRACES=off",
  );
  for (const [index, { transactionHash, frame }] of traces.entries()) {
    const transaction = transactions[index];
    validateFrames(index, frame, check);
    // Some tracers give the state-sync transaction a hash of their own, or the sender of its
    // messages (0xPolygon/bor#1184).
    const isStateSync = stateSync !== undefined && transaction?.hash === stateSync;
    requireThat(
      isStateSync || transactionHash === null || transactionHash === transaction?.hash,
      `trace ${index} belongs to another transaction`,
    );
    const created = transaction?.to === null ? receipts[index]?.contractAddress : null;
    prefer(
      isNothing(created) || frame.to === null || frame.to === created,
      "odd-field",
      `trace ${index} creates another contract than its receipt says`,
    );
    const hasSender = frame.from === transaction?.from;
    const reason = `trace ${index} has another sender than its transaction`;
    if (isStateSync || transactionHash !== null) {
      prefer(hasSender, "odd-field", reason);
      continue;
    }
    // Without a hash, only the call identifies a trace: many transactions may share a sender.
    requireThat(hasSender, reason);
    const hasCall = transaction?.to === null || frame.to === transaction?.to;
    requireThat(
      hasCall && frame.input === transaction?.input,
      `trace ${index} is of another call than its transaction`,
    );
  }
}

/** Checks the form of frames: nothing proves a trace, so a malformed one would be stored. */
function validateFrames(index: number, outermost: CallFrame, { requireThat }: Check): void {
  const frames = framesOf(outermost);
  requireThat(
    frames.every(({ from, to }) => isAddress(from) && (to === null || isAddress(to))),
    `trace ${index} has a frame with a malformed address`,
  );
  requireThat(
    frames.every(({ type, output }) => !CREATE_TYPES.has(type) || isHexData(output ?? "0x")),
    `trace ${index} has a frame with malformed code`,
  );
}

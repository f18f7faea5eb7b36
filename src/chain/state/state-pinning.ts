import { quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import type { NodeFeatures } from "../capabilities/features.ts";
import type { ChainErrorCode } from "../errors/codes.ts";
import { NodeError } from "../errors/errors.ts";
import { type Ask, errorIn, fillIn, isMissing, type Outcome } from "../errors/outcomes.ts";
import type { RpcCall } from "../options.ts";
import type { BlockReference } from "../questions.ts";
import { findHeader, getHead } from "../rpc/find-header.ts";

/** Further errors by which nodes refuse a hash where they accept a number, from a node that never accepted one. */
const DOUBTFUL: ReadonlySet<ChainErrorCode> = new Set(["node-error", "bad-answer"]);
/** After so many refusals the number is used at once. */
const ENOUGH_REFUSALS = 3;

/** Asks one node for state at one block by hash (EIP-1898). Throws `NodeError`: `block-unknown`, `block-replaced`, `head-moved`. */
export function pinTo(block: BlockReference, ask: Ask, features: NodeFeatures): Ask {
  if (features.clientVersion.startsWith("anvil")) return (calls) => askWhileStill(calls, ask);
  const { hashRefusals } = features;
  return async (calls) => {
    const outcomes = new Array<Outcome>(calls.length);
    const methodAt = (index: number) => calls[index]?.method ?? "";
    const refusalsOf = (index: number) => hashRefusals.get(methodAt(index)) ?? 0;
    const indexes = [...calls.keys()];
    // Also right for a block that is no longer canonical, while the node has its state.
    const hashed = indexes.filter((index) => refusalsOf(index) < ENOUGH_REFUSALS);
    await fillIn(outcomes, hashed, calls, ask);
    for (const index of hashed) {
      if (!errorIn(outcomes[index])) hashRefusals.set(methodAt(index), -1);
    }
    const refused = indexes.filter((index) => {
      const error = errorIn(outcomes[index]);
      const isDoubtful = error && refusalsOf(index) >= 0 && DOUBTFUL.has(error.code);
      return !outcomes[index] || isMissing(error) || isDoubtful;
    });
    if (refused.length === 0) return outcomes;
    await fillIn(outcomes, refused, calls, (some) => askByNumber(block, some, ask));
    const accepted = refused.filter((index) => !errorIn(outcomes[index]));
    const counts = new Map(accepted.map((index) => [methodAt(index), refusalsOf(index) + 1]));
    for (const [method, count] of counts) hashRefusals.set(method, count);
    return outcomes;
  };
}

async function askByNumber({ number, hash }: BlockReference, calls: readonly RpcCall[], ask: Ask) {
  const named = calls.map(({ method, params }) => ({
    method,
    params: params.map((parameter) =>
      isRecord(parameter) && "blockHash" in parameter ? quantity(number) : parameter,
    ),
  }));
  const outcomes = await ask(named);
  const header = await findHeader(ask, number);
  if (!header) throw new NodeError("block-unknown", `the node has no block ${number}`);
  if (header.hash !== hash) {
    throw new NodeError("block-replaced", `block ${number} is another one by now`);
  }
  return outcomes;
}

const LARGEST_PIECE = 100;
const MOST_MOVES = 40;

/** Reads count only while the head stands still: anvil 1.7.1 mixes states while it mines. Pieces shrink when it moves. */
async function askWhileStill(calls: readonly RpcCall[], ask: Ask): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let before = await getHead(ask);
  let size = LARGEST_PIECE;
  for (let moves = 0; outcomes.length < calls.length; ) {
    const piece = calls.slice(outcomes.length, outcomes.length + size);
    const answers = await ask(piece);
    const after = await getHead(ask);
    if (before.hash === after.hash) {
      outcomes.push(...answers);
    } else if (++moves > MOST_MOVES) {
      throw new NodeError("head-moved", "the head never stood still while state was read");
    } else {
      size = Math.max(1, size >> 1);
    }
    before = after;
  }
  return outcomes;
}

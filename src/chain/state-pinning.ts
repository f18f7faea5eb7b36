import { quantity } from "../core/quantity.ts";
import type { BlockReference, RpcCall } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { NodeFeatures } from "./features.ts";
import { headerCall, headerOf, LATEST_BLOCK } from "./headers.ts";
import type { NodeOutcome } from "./node.ts";
import { type Ask, errorIn, resultOf } from "./rpc-client.ts";

/** A read of state. The block is still to be added to its parameters, and behind the block `rest`. */
export type StateCall = RpcCall & { rest?: readonly unknown[] };

/**
 * Asks one node for state at exactly that block, whatever its head does meanwhile. One outcome per call, in order.
 * Throws `NodeError`: `block-unknown`, `block-replaced`, or `head-moved` when a node that cannot be read while its head
 * moves never stood still.
 */
export async function readAt(
  block: BlockReference,
  calls: readonly StateCall[],
  ask: Ask,
  features: NodeFeatures,
): Promise<NodeOutcome[]> {
  if (features.clientVersion.startsWith("anvil")) return readWhileStill(block, calls, ask);
  if (features.stateByHash !== false) {
    const outcomes = await ask(calls.map((call) => byHash(call, block)));
    const refused = outcomes.every((outcome) => errorIn(outcome)?.code === "invalid-request");
    if (features.stateByHash || !refused || calls.length === 0) {
      features.stateByHash ||= outcomes.some((outcome) => !("error" in outcome)) || null;
      return outcomes;
    }
  }
  const outcomes = await readByNumber(block, calls, ask);
  if (outcomes.some((outcome) => !("error" in outcome))) features.stateByHash = false;
  return outcomes;
}

/** EIP-1898. Also right for a block that is no longer canonical, as long as the node has its state. */
function byHash({ method, params, rest = [] }: StateCall, { hash }: BlockReference): RpcCall {
  return { method, params: [...params, { blockHash: hash }, ...rest] };
}

async function readByNumber(
  { number, hash }: BlockReference,
  calls: readonly StateCall[],
  ask: Ask,
): Promise<NodeOutcome[]> {
  const outcomes = await ask(
    calls.map(({ method, params, rest = [] }) => ({
      method,
      params: [...params, quantity(number), ...rest],
    })),
  );
  const [after] = await ask([headerCall(number)]);
  const block = resultOf(after);
  if (block === null) throw new NodeError("block-unknown", `the node has no block ${number}`);
  if (headerOf(block).hash !== hash) {
    throw new NodeError("block-replaced", `block ${number} is another one by now`);
  }
  return outcomes;
}

const LARGEST_PIECE = 100;
const MOST_MOVES = 40;

/**
 * anvil (seen with 1.7.1) mixes up states when it mines while it reads, even of a block named by number or hash: what
 * was read counts only when the head stood still. Pieces get smaller when it does not.
 */
async function readWhileStill(
  block: BlockReference,
  calls: readonly StateCall[],
  ask: Ask,
): Promise<NodeOutcome[]> {
  const outcomes: NodeOutcome[] = [];
  let before = await headHash(ask);
  let size = LARGEST_PIECE;
  for (let moves = 0; outcomes.length < calls.length; ) {
    const piece = calls.slice(outcomes.length, outcomes.length + size);
    const answers = await ask(piece.map((call) => byHash(call, block)));
    const after = await headHash(ask);
    if (before === after) {
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

async function headHash(ask: Ask): Promise<string> {
  const [latest] = await ask([LATEST_BLOCK]);
  return headerOf(resultOf(latest)).hash;
}

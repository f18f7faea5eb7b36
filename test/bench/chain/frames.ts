import type { Address } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import { quantity } from "../../../src/core/evm/quantity.ts";
import type { Random } from "../../support/world/random.ts";
import { around, fillerBytes, randomBytes } from "./draws.ts";
import type { ChainShape } from "./shape.ts";

/** A frame as the callTracer of `debug_traceBlockByHash` gives it. */
export interface Frame {
  type: string;
  from: Address;
  to: Address;
  value?: Hex;
  gas: Hex;
  gasUsed: Hex;
  input: Hex;
  output?: Hex;
  error?: string;
  calls?: Frame[];
}

/** The first action of a transaction; `succeeded` false: it reverts as a whole. */
export interface TopLevel {
  from: Address;
  /** The called address, or the contract that is created. */
  to: Address;
  creates: boolean;
  value: Hex;
  gas: Hex;
  gasUsed: Hex;
  input: Hex;
  succeeded: boolean;
}

const KINDS = ["CALL", "CALL", "STATICCALL", "STATICCALL", "DELEGATECALL"] as const;
const CREATIONS = ["CREATE", "CREATE2"] as const;
const CREATION_SHARE = 0.01;
/** The contracts created by contracts: minimal proxies (EIP-1167). */
const CLONE_SHARE = 0.9;
const REVERTED_SHARE = 0.02;
const VALUE_SHARE = 0.5;

/** Draws the tree of calls below a transaction; `contract` returns a callee. */
export function drawTrace(
  shape: ChainShape,
  random: Random,
  top: TopLevel,
  inner: { frames: number; contract: () => Address },
): Frame {
  const { creates, succeeded, ...call } = top;
  const root: Frame = { ...call, type: creates ? "CREATE" : "CALL" };
  if (!succeeded) revert(random, root);
  else if (creates) root.output = fillerBytes(random, shape.codeBytes);
  const callers = [root];
  for (let count = 0; count < inner.frames; count++) {
    const caller = random.pick(callers);
    const frame = drawFrame(shape, random, caller.to, inner.contract());
    caller.calls ??= [];
    caller.calls.push(frame);
    if (frame.error === undefined) callers.push(frame);
  }
  return root;
}

function drawFrame(shape: ChainShape, random: Random, from: Address, contract: Address): Frame {
  const creates = random.chance(CREATION_SHARE);
  const code = creates ? drawCode(shape, random, contract) : undefined;
  const type = creates ? random.pick(CREATIONS) : random.pick(KINDS);
  const frame: Frame = {
    type,
    from,
    to: creates ? randomBytes(random, 20) : contract,
    gas: quantity(200_000 + random.integer(800_000)),
    gasUsed: quantity(2_000 + random.integer(100_000)),
    input: code ?? fillerBytes(random, 4 + 32 * around(random, 2)),
    output: code ?? fillerBytes(random, 32 * around(random, 1)),
  };
  if (type === "CALL" || creates) {
    frame.value = random.chance(VALUE_SHARE) ? quantity(1 + random.integer(2 ** 32)) : "0x0";
  } else if (type === "DELEGATECALL") {
    frame.value = "0x0";
  }
  if (random.chance(REVERTED_SHARE)) revert(random, frame);
  return frame;
}

/** Code of a created contract, which stands for its init code too. */
function drawCode(shape: ChainShape, random: Random, original: Address): Hex {
  return random.chance(CLONE_SHARE)
    ? hexConcat("0x363d3d373d3d3d363d73", original, "0x5af43d82803e903d91602b57fd5bf3")
    : fillerBytes(random, shape.codeBytes);
}

function revert(random: Random, frame: Frame): void {
  frame.error = "execution reverted";
  frame.output = fillerBytes(random, 4);
}

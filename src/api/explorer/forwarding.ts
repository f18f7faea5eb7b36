import type { CallerChain } from "../../chain/caller-chain.ts";
import type { NodeName, RpcCall } from "../../chain/options.ts";
import { ChainError } from "../../core/errors.ts";
import { isQuantity, quantity, quantityToBigInt } from "../../core/evm/quantity.ts";
import { calmTurn } from "../../core/turns.ts";
import { codeOfAnswer, type RpcFault, UNANSWERED } from "../http/failures.ts";

/** Most gas of a call, geth's default (`--rpc.gascap`): a node may accept any amount. */
const MOST_GAS = 50_000_000n;
const WITH_GAS: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);
/** In lower case: some nodes also accept the second name, and some accept names in any letter case. */
const GAS_FIELDS: ReadonlySet<string> = new Set(["gas", "gaslimit"]);

/** The node's answer to a call. */
export type Forwarded = { result: unknown } | RpcFault;

/** Forwards one call. */
export type Forward = (call: RpcCall) => Promise<Forwarded>;

/** Sends calls that a client chose in one batch and returns the node's answers. A sent transaction is not cancelled. */
export async function forwardCalls(
  chain: CallerChain,
  calls: readonly RpcCall[],
  node?: NodeName,
): Promise<Forwarded[]> {
  const onlySends = calls.every(({ method }) => method === "eth_sendRawTransaction");
  const answers = await chain.forward(calls.map(boundGas), {
    ...(node !== undefined && { node }),
    ...(onlySends && { signal: undefined }),
  });
  return answers.map((answer) => {
    if ("unanswered" in answer) return UNANSWERED[answer.unanswered];
    return "error" in answer ? { ...answer, code: codeOfAnswer(answer.error) } : answer;
  });
}

/** Returns a function that forwards the calls of one request, one batch at a time. */
export function createForward(chain: CallerChain): Forward {
  let sent: Promise<unknown> = Promise.resolve();
  let next: { calls: RpcCall[]; answers: Promise<Forwarded[]> } | undefined;

  async function send(before: Promise<unknown>, calls: readonly RpcCall[]): Promise<Forwarded[]> {
    await before;
    await calmTurn();
    next = undefined;
    return forwardCalls(chain, calls);
  }

  return async (call) => {
    if (!next) {
      const calls: RpcCall[] = [];
      next = { calls, answers: send(sent, calls) };
      sent = next.answers.catch(() => {});
    }
    const { calls, answers } = next;
    const place = calls.push(call) - 1;
    return (await answers)[place] ?? UNANSWERED.unreachable;
  };
}

/** Returns the node's result of our own call, without a retry; undefined for an error. Throws `ChainError` without an answer. */
export async function askOnce(
  chain: CallerChain,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const [answer] = await chain.forward([{ method, params }]);
  if (!answer || "unanswered" in answer)
    throw new ChainError("unavailable", `the node leaves ${method} unanswered`);
  return "result" in answer ? answer.result : undefined;
}

function boundGas(call: RpcCall): RpcCall {
  const [subject, ...rest] = call.params;
  if (!WITH_GAS.has(call.method) || typeof subject !== "object" || subject === null) return call;
  const bounds = Object.entries(subject)
    .filter(([name]) => GAS_FIELDS.has(name.toLowerCase()))
    // Some nodes also accept numbers and decimal digits: every unbounded value is bounded.
    .filter(([, gas]) => !isBounded(gas))
    .map(([name]) => [name, quantity(MOST_GAS)]);
  return bounds.length === 0
    ? call
    : { ...call, params: [{ ...subject, ...Object.fromEntries(bounds) }, ...rest] };
}

function isBounded(gas: unknown): boolean {
  if (gas === null || gas === "0x") return true;
  return isQuantity(gas) && quantityToBigInt(gas) <= MOST_GAS;
}

import type { Client, EIP1193RequestFn, Transport } from "viem";
import { createClient, createTransport } from "../../core/deep-imports.ts";
import { isHexData } from "../../core/evm/hex.ts";
import { isExactQuantity, isQuantity } from "../../core/evm/quantity.ts";
import { isUint256 } from "../../core/evm/uint256.ts";
import { NodeError } from "../errors/errors.ts";
import { type Ask, type Outcome, resultOf } from "../errors/outcomes.ts";
import { headerFields, isHeader } from "../headers.ts";
import type { RpcCall } from "../options.ts";

/** viem's client over the nodes. `transport.ask` sends calls raw, without viem's formatters (docs/measurements/indexing.md, "viem"). */
export type NodeClient = Client<Transport<"nodes", { ask: Ask }>>;

interface Waiting extends PromiseWithResolvers<unknown> {
  call: RpcCall;
}

/** Creates a client over `ask`, which also does batches, limits, retries and pinning to a block. */
export function createNodeClient(ask: Ask): NodeClient {
  let waiting: Waiting[] = [];

  function send(): void {
    const asked = waiting;
    waiting = [];
    const calls = asked.map(({ call }) => call);
    const outcomes = ask(calls).then((all) => requireForms(calls, all));
    for (const [index, { resolve }] of asked.entries()) {
      resolve(outcomes.then((all) => headerFields(resultOf(all[index]))));
    }
  }

  return createClient({
    cacheTime: 0,
    // A contract may answer with URLs to fetch (EIP-3668); Periscope fetches no URL from the chain.
    ccipRead: false,
    transport: () =>
      createTransport(
        {
          key: "nodes",
          name: "Nodes",
          type: "nodes",
          // retry.ts decides on retries.
          retryCount: 0,
          request: (async ({ method, params = [] }) => {
            const call: RpcCall = { method, params: params as readonly unknown[] };
            const asked = { call, ...Promise.withResolvers<unknown>() };
            if (waiting.push(asked) === 1) setImmediate(send);
            return asked.promise;
          }) as EIP1193RequestFn,
        },
        { ask },
      ),
  }) as NodeClient;
}

/** Forms of results that viem does not validate: it parses an empty text as 0, and any number as a balance. */
const FORMS: Readonly<Record<string, (result: unknown) => boolean>> = {
  eth_call: isHexData,
  eth_chainId: isExactQuantity,
  eth_getBalance: (result) => isQuantity(result) && isUint256(BigInt(result)),
  eth_getBlockByHash: isHeaderOrNull,
  eth_getBlockByNumber: isHeaderOrNull,
  eth_getCode: isHexData,
  eth_getStorageAt: isQuantity,
  eth_getTransactionCount: isQuantity,
};

function isHeaderOrNull(result: unknown): boolean {
  return result === null || isHeader(result);
}

/** Returns the outcomes, with an error in place of each malformed result: such a call alone is asked again. */
export function requireForms(calls: readonly RpcCall[], outcomes: Outcome[]): Outcome[] {
  return outcomes.map((outcome, index) => {
    const form = FORMS[calls[index]?.method ?? ""];
    if (form === undefined || "error" in outcome || form(outcome.result)) return outcome;
    const reason =
      form === isHeaderOrNull
        ? "a block has no number, time, hash or parent"
        : `${calls[index]?.method}: no answer of that kind`;
    return { error: new NodeError("bad-answer", reason) };
  });
}

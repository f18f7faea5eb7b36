import { expect, test } from "vitest";
import { Retry } from "../../src/chain/retry.ts";
import { ChainError } from "../../src/core/errors.ts";
import type { Address } from "../../src/core/evm/address.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { lie } from "../support/scripted-node/faults.ts";
import { openChain, openNode } from "../support/test-chain.ts";

const [ann, bob] = ["ann", "bob"].map(scriptedAddress) as [Address, Address];
const ODD = [undefined, null, 7, "", "0x", {}, [null]];

type Path = readonly string[];

/** The places of all fields of an answer, one of those that differ in their place in a list only. */
function pathsIn(answer: unknown): Path[] {
  const found = new Map<string, Path>();
  const walk = (value: unknown, path: Path): void => {
    found.set(path.join(".").replace(/\d+/g, "0"), path);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(answer, []);
  return [...found.values()];
}

/** The answer with another value at one place. */
function withValue(answer: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof answer !== "object" || answer === null) return answer;
  const copy = (Array.isArray(answer) ? [...answer] : { ...answer }) as Record<string, unknown>;
  copy[key] = withValue(copy[key], rest, value);
  return copy;
}

test.each([
  ["debug_traceBlockByHash", []],
  ["trace_block", ["debug_"]],
  ["debug_traceTransaction", ["debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_"]],
])(
  "whatever a field of a block's answers is, the node is told apart by an error of its own: %s",
  async (tracer, without) => {
    const node = await openNode({ without });
    const calls = [
      {
        from: ann,
        to: bob,
        calls: [
          { from: bob, type: "CREATE", to: ann, output: "0x60" },
          { from: ann, type: "SELFDESTRUCT", to: bob },
        ],
      },
    ] as const;
    node.chain.mine({
      transactions: [
        { calls, logs: [{ address: ann }] },
        { to: null, output: "0x60" },
      ],
      uncles: [{ miner: ann, distance: 1 }],
    });
    const { chain, stop } = openChain([node]);
    const answers = new Map<string, unknown>();
    const note = lie((result, { method }) => {
      answers.set(method, result);
      return result;
    });
    await chain.fetchBlocks([1]);
    const unnoted = node.fail({ effect: note });
    await chain.fetchBlocks([1]);
    unnoted();
    expect([...answers.keys()]).toContain(tracer);
    for (const [method, answer] of answers) {
      for (const path of pathsIn(answer)) {
        for (const value of ODD) {
          const effect = lie((result) => withValue(result, path, value) ?? null);
          const healed = node.fail({ method, effect });
          const retry = new Retry(stop.signal, { attempts: 1 });
          const thrown = await chain.fetchBlocks([1], { retry }).catch((error: unknown) => error);
          healed();
          if (!(thrown instanceof Error)) continue;
          expect([method, path, value, thrown]).toEqual([
            method,
            path,
            value,
            expect.any(ChainError),
          ]);
        }
      }
    }
  },
);

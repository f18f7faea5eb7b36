import { onTestFinished } from "vitest";
import type { Chain } from "../../src/chain/chain.ts";
import { createChain } from "../../src/chain/client.ts";
import type { ChainOptions } from "../../src/chain/options.ts";
import { type ScriptedNode, type ScriptedNodeOptions, startScriptedNode } from "./scripted-node.ts";

/** A chain client under test with its reports. */
export interface TestChain {
  chain: Chain;
  /** Each line of the log, fields and text. */
  log: string[];
  /** `method outcome` of each HTTP request. */
  requests: string[];
  /** The composition root's signal for shutdown. */
  stop: AbortController;
}

/** Opens a client on nodes; it is closed when the test ends. */
export function openChain(
  nodes: readonly ({ url: string } | string)[],
  options: Partial<ChainOptions> = {},
): TestChain {
  const log: string[] = [];
  const requests: string[] = [];
  const stop = new AbortController();
  const write = (...parts: unknown[]): void => {
    log.push(
      parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
    );
  };
  const chain = createChain({
    urls: nodes.map((node) => (typeof node === "string" ? node : node.url)),
    requestTimeoutMs: 5000,
    batchSize: 100,
    concurrency: 4,
    maxResponseBytes: 32 * 1024 * 1024,
    traces: "auto",
    log: { info: write, warn: write },
    signal: stop.signal,
    onRequest: (method, outcome) => requests.push(`${method} ${outcome}`),
    ...options,
  });
  onTestFinished(async () => {
    stop.abort();
    await chain.close();
  });
  return { chain, log, requests, stop };
}

/** Starts a scripted node; it is stopped when the test ends. */
export async function openNode(options?: ScriptedNodeOptions): Promise<ScriptedNode> {
  const node = await startScriptedNode(options);
  onTestFinished(() => node.stop());
  return node;
}

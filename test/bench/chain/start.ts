import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Hex } from "../../../src/core/evm/hex.ts";
import type { ChainTotals } from "./blocks.ts";
import type { ChainShape } from "./shape.ts";
import type { Spoilage } from "./spoil.ts";

/** Blocks to be mined, all of them there at once; 0 only asks for the report. */
export interface ChainOrder {
  mine: number;
  spoil?: Spoilage;
}

/** Reports of the chain's process after each order. */
export interface ChainReport {
  port: number;
  head: { number: number; hash: Hex };
  totals: ChainTotals;
  /** When the newest block could be had, in Unix milliseconds. */
  announcedAt: number;
  /** Time of the first request for the first block's receipts. */
  askedAt: number | undefined;
}

/** A chain that runs in a process of its own. */
export interface BenchChain {
  url: string;
  webSocketUrl: string;
  pid: number;
  /** Mines blocks. */
  mine(count?: number): Promise<ChainReport>;
  report(): Promise<ChainReport>;
  /** Spoils answers from now on. */
  spoil(kind: Spoilage): Promise<ChainReport>;
  stop(): Promise<void>;
}

/** Makes the chain of a shape and serves it; resolves when it can be asked. */
export async function startChain(shape: ChainShape): Promise<BenchChain> {
  const child: ChildProcess = fork(new URL("./process.ts", import.meta.url), [
    JSON.stringify(shape),
  ]);
  const { port } = await nextReport();

  /** Orders are obeyed one by one, so that the next report is the answer. */
  async function nextReport(): Promise<ChainReport> {
    const ending = new AbortController();
    const ended = once(child, "exit", { signal: ending.signal }).then(() => {
      throw new Error("the process of the chain has ended");
    });
    ended.catch(() => {});
    const [report] = await Promise.race([once(child, "message"), ended]);
    ending.abort();
    return report as ChainReport;
  }

  function order(what: ChainOrder): Promise<ChainReport> {
    const answer = nextReport();
    child.send(what);
    return answer;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    pid: child.pid as number,
    mine: (count = 1) => order({ mine: count }),
    report: () => order({ mine: 0 }),
    spoil: (kind) => order({ mine: 0, spoil: kind }),
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

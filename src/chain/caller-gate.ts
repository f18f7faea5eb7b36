import { NodeError } from "./errors.ts";
import type { AdaptiveLimit } from "./limits.ts";

/** Questions that wait at one node, of all callers and of one. */
const LONGEST_QUEUE = 128;
const LONGEST_QUEUE_OF_ONE = 32;

interface Waiting {
  caller: string;
  enter(): void;
}

/**
 * Admits questions of callers to half of a node's places, those of one caller to half of these, so that neither our own
 * reads nor other callers wait for one caller's work. Who finds the queue full is refused at once.
 */
export class CallerGate {
  readonly #limit: AdaptiveLimit;
  readonly #waiting = new Set<Waiting>();
  readonly #inside = new Map<string, number>();
  #entered = 0;

  /** `limit` is the node's own. */
  constructor(limit: AdaptiveLimit) {
    this.#limit = limit;
  }

  /** Gives the way to leave again. Throws `NodeError`: `aborted`, or `busy` when the queue is full. */
  async enter(caller: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new NodeError("aborted", "given up before it was sent");
    if (this.#isOpenTo(caller)) this.#admit(caller);
    else await this.#queue(caller, signal);
    return () => this.#leave(caller);
  }

  async #queue(caller: string, signal: AbortSignal): Promise<void> {
    const ofCaller = [...this.#waiting].filter((other) => other.caller === caller).length;
    if (this.#waiting.size >= LONGEST_QUEUE || ofCaller >= LONGEST_QUEUE_OF_ONE) {
      throw new NodeError("busy", "too many calls wait");
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        reject(new NodeError("aborted", "given up before it was sent"));
      };
      const enter = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const waiting = { caller, enter };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Who waits is always at its own share or behind a full gate, so nobody is overtaken by entering at once. */
  #isOpenTo(caller: string): boolean {
    const places = Math.max(1, this.#limit.value >> 1);
    const ofOne = Math.max(1, places >> 1);
    return this.#entered < places && (this.#inside.get(caller) ?? 0) < ofOne;
  }

  #admit(caller: string): void {
    this.#entered++;
    this.#inside.set(caller, (this.#inside.get(caller) ?? 0) + 1);
  }

  #leave(caller: string): void {
    this.#entered--;
    const left = (this.#inside.get(caller) ?? 0) - 1;
    if (left > 0) this.#inside.set(caller, left);
    else this.#inside.delete(caller);
    for (const waiting of this.#waiting) {
      if (!this.#isOpenTo(waiting.caller)) continue;
      this.#waiting.delete(waiting);
      this.#admit(waiting.caller);
      waiting.enter();
    }
  }
}

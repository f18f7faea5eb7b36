import { sleep } from "../core/async.ts";

/** Most fruitless attempts in a row. */
const FRUITLESS_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 25;
/** Pause after a partial answer: a flaky node fails some calls of nearly every large batch. */
const REST_PAUSE_MS = 10;
/** No attempt begins later than this after the first. */
const PATIENCE_MS = 45_000;

/** Progress of an attempt. `part` and `known` (an answer known before) cost none of the budget. */
export type Gain = "nothing" | "part" | "known";

/** Retry budget of one task: it alone decides whether a request is repeated (docs/architecture.md, "When a node is asked again"). */
export class Retry {
  /** Cancels all requests of the task. */
  readonly stop: AbortSignal | undefined;
  readonly #attempts: number;
  #fruitless = 0;
  #since = performance.now();

  /** `attempts` is 1 for a part of a task whose own budget decides on retries. */
  constructor(stop?: AbortSignal, { attempts = FRUITLESS_ATTEMPTS } = {}) {
    this.stop = stop;
    this.#attempts = attempts;
  }

  /** Records lasting progress: resets the budget and the back-off. */
  progressed(): void {
    this.#fruitless = 0;
    this.#since = performance.now();
  }

  /** Waits for the next attempt; false when there is none. Pauses double without progress, with jitter. */
  async again(gain: Gain = "nothing"): Promise<boolean> {
    if (gain === "nothing") this.#fruitless++;
    const isUsedUp =
      this.#fruitless >= this.#attempts || performance.now() - this.#since > PATIENCE_MS;
    if (isUsedUp || this.stop?.aborted) return false;
    const doubled = gain === "nothing" ? this.#fruitless - 1 : 0;
    const pauseMs = gain === "part" ? REST_PAUSE_MS : FIRST_PAUSE_MS * 2 ** doubled;
    await sleep(pauseMs * (0.5 + Math.random() / 2), this.stop);
    return !this.stop?.aborted;
  }
}

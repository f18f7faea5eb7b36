import { sleep } from "../core/async.ts";

/** Most attempts in a row that bring nothing. */
const FRUITLESS_ATTEMPTS = 7;
const FIRST_PAUSE_MS = 50;
/** A flaky node leaves some of a hundred questions open nearly each time: they need not wait long. */
const REST_PAUSE_MS = 10;
/** No attempt begins later than this after the first. */
const PATIENCE_MS = 45_000;

/** What an attempt brought. Neither `part` nor `known`, an answer that was known, costs any of the budget. */
export type Gain = "nothing" | "part" | "known";

/** Retry budget of one piece of work, shared by all that it asks (docs/architecture.md, "When a node is asked again"). */
export class Retry {
  /** Ends all that the work asks. */
  readonly stop: AbortSignal | undefined;
  readonly #attempts: number;
  #fruitless = 0;
  #since = performance.now();

  /** `attempts` is 1 for a part of a piece of work whose own budget decides whether it is asked again. */
  constructor(stop?: AbortSignal, { attempts = FRUITLESS_ATTEMPTS } = {}) {
    this.stop = stop;
    this.#attempts = attempts;
  }

  /** Notes that something was gained for good: the budget and the pauses begin anew. */
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

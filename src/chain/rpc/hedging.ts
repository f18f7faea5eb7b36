const SAMPLES = 32;
/** Answers needed to estimate the usual time. */
const ENOUGH_SAMPLES = 5;
/** An answer is late after the median times the factor, plus the extra time. */
const LATE_FACTOR = 2;
const LATE_EXTRA_MS = 10;
/** Second requests that each answer earns, up to a small credit. */
const EARNED = 0.25;
const MOST_SAVED = 5;

/** Decides when a request is sent twice, at most one in five. Source: Dean and Barroso, "The Tail at Scale". */
export class Hedging {
  readonly #times = new Map<string, number[]>();
  #saved = MOST_SAVED;

  /** Returns the ms after which an answer is late; undefined with too few samples. */
  lateAfter(kind: string): number | undefined {
    const times = this.#times.get(kind) ?? [];
    if (times.length < ENOUGH_SAMPLES) return undefined;
    const median = times.toSorted((one, other) => one - other)[times.length >> 1] as number;
    return median * LATE_FACTOR + LATE_EXTRA_MS;
  }

  /** Spends one second request; false when none is left. */
  take(): boolean {
    if (this.#saved < 1) return false;
    this.#saved--;
    return true;
  }

  /** Records the time of an answer to a first or second request. */
  note(kind: string, ms: number): void {
    const times = this.#times.get(kind) ?? [];
    times.push(ms);
    if (times.length > SAMPLES) times.shift();
    this.#times.set(kind, times);
    this.#saved = Math.min(MOST_SAVED, this.#saved + EARNED);
  }
}

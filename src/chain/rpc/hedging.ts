const SAMPLES = 32;
/** Answers needed to estimate the usual time. */
const ENOUGH_SAMPLES = 3;
/** An answer is late after the median times the factor, plus the extra time. */
const LATE_FACTOR = 2;
const LATE_EXTRA_MS = 30;
/** An answer of unknown usual time is late after this time. */
const LATE_UNKNOWN_MS = 200;
/** Further requests that each answer earns, up to a small credit. */
const EARNED = 0.25;
const MOST_SAVED = 16;

/** Decides when a request is sent again, at most one in five. Source: Dean and Barroso, "The Tail at Scale". */
export class Hedging {
  readonly #times = new Map<string, number[]>();
  #saved = MOST_SAVED;

  /** True if there were enough answers of the kind to know their usual time. */
  knows(kind: string): boolean {
    return (this.#times.get(kind) ?? []).length >= ENOUGH_SAMPLES;
  }

  /** Returns the ms after which an answer is late. */
  lateAfter(kind: string): number {
    const times = this.#times.get(kind) ?? [];
    if (!this.knows(kind)) return LATE_UNKNOWN_MS;
    const median = times.toSorted((one, other) => one - other)[times.length >> 1] as number;
    return median * LATE_FACTOR + LATE_EXTRA_MS;
  }

  /** Spends one further request; false when none is left. */
  take(): boolean {
    if (this.#saved < 1) return false;
    this.#saved--;
    return true;
  }

  /** Records the time of an answer to a first or further request. */
  note(kind: string, ms: number): void {
    const times = this.#times.get(kind) ?? [];
    times.push(ms);
    if (times.length > SAMPLES) times.shift();
    this.#times.set(kind, times);
    this.#saved = Math.min(MOST_SAVED, this.#saved + EARNED);
  }
}

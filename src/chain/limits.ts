import { NodeError } from "./errors.ts";

/**
 * A bound between 1 and `maximum` that follows what the node bears: additive increase, multiplicative decrease.
 * It starts at the maximum.
 */
export class AdaptiveLimit {
  readonly #maximum: number;
  #value: number;
  #shrunkAt = Number.NEGATIVE_INFINITY;

  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#value = maximum;
  }

  get value(): number {
    return Math.floor(this.#value);
  }

  /** `step` is 1 per full batch, and 1 / value per request for requests in flight, so that one round adds one. */
  grow(step: number): void {
    this.#value = Math.min(this.#maximum, this.#value + step);
  }

  /**
   * Halves. Requests in flight together fail together, so a request that began before the last decrease does not count.
   * `startedAt` is in ms of `performance.now()`.
   */
  shrink(startedAt: number): void {
    if (startedAt < this.#shrunkAt) return;
    this.#shrunkAt = performance.now();
    this.#value = Math.max(1, this.#value / 2);
  }
}

const LONGEST_QUEUE = 10_000;

/** Admits as many at once as the limit allows, in the order they came. Each must `leave` again. */
export class Gate {
  readonly #limit: AdaptiveLimit;
  readonly #waiting = new Set<() => void>();
  #inside = 0;
  #closedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: AdaptiveLimit) {
    this.#limit = limit;
  }

  /** Throws `NodeError`: `aborted`, or `busy` when the queue is full. */
  async enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new NodeError("aborted", "given up before it was sent");
    if (this.#waiting.size >= LONGEST_QUEUE) throw new NodeError("busy", "too many requests wait");
    if (this.tryEnter()) return;
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(enter);
        if (this.#waiting.size === 0) this.#stopTimer();
        reject(new NodeError("aborted", "given up before it was sent"));
      };
      this.#waiting.add(enter);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#admit();
    });
  }

  /** Enters if nobody waits and the limit allows it at once. */
  tryEnter(): boolean {
    if (this.#waiting.size > 0 || !this.#isOpen()) return false;
    this.#inside++;
    return true;
  }

  leave(): void {
    this.#inside--;
    this.#admit();
  }

  /** Lets nobody in for `ms`. */
  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
  }

  get closed(): boolean {
    return performance.now() < this.#closedUntil;
  }

  #isOpen(): boolean {
    return !this.closed && this.#inside < this.#limit.value;
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      if (!this.#isOpen()) break;
      this.#waiting.delete(enter);
      this.#inside++;
      enter();
    }
    if (this.#waiting.size > 0 && this.closed) this.#admitLater();
  }

  #admitLater(): void {
    const ms = Math.ceil(this.#closedUntil - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#stopTimer();
      this.#admit();
    }, ms);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

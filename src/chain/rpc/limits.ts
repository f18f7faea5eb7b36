import { NodeError } from "../errors/errors.ts";

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

/** Most questions that may wait at one node: of all, of callers, and of one caller. */
const LONGEST_QUEUE = 10_000;
const LONGEST_QUEUE_OF_CALLERS = 128;
const LONGEST_QUEUE_OF_ONE = 32;

interface Waiting {
  caller: string | undefined;
  /** One of several parts of a question. */
  isPart: boolean;
  enter(): void;
}

/**
 * Admits as many questions at once as the limit allows, in the order they came. Callers get half of the slots, and one caller
 * half of these, so that neither our own reads nor other callers wait for one caller's work. Of one caller's, the parts of a
 * large question come last: a balance does not wait for all of a long list. Whoever enters must `leave`.
 */
export class Gate {
  readonly #limit: AdaptiveLimit;
  readonly #waiting = new Set<Waiting>();
  #inside = 0;
  /** The callers whose questions are inside, one entry for each question. */
  readonly #callers: string[] = [];
  #closedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: AdaptiveLimit) {
    this.#limit = limit;
  }

  /** Throws `NodeError`: `aborted`, or `busy` when the queue is full. */
  async enter(signal: AbortSignal, caller?: string, isPart = false): Promise<void> {
    if (signal.aborted) throw new NodeError("aborted", "given up before it was sent");
    if (this.tryEnter(caller)) return;
    if (this.#isQueueFull(caller)) throw new NodeError("busy", "too many requests wait");
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) this.#stopTimer();
        reject(new NodeError("aborted", "given up before it was sent"));
      };
      const waiting = { caller, isPart, enter };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#admit();
    });
  }

  /** Enters if the limit allows it at once, behind all who wait. */
  tryEnter(caller?: string): boolean {
    this.#admit();
    if (!this.#isOpenTo(caller)) return false;
    this.#note(caller);
    return true;
  }

  leave(caller?: string): void {
    this.#inside--;
    if (caller !== undefined) this.#callers.splice(this.#callers.indexOf(caller), 1);
    this.#admit();
  }

  /** Lets nobody in for `ms`. */
  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
  }

  get closed(): boolean {
    return performance.now() < this.#closedUntil;
  }

  #isQueueFull(caller: string | undefined): boolean {
    if (caller === undefined) return this.#waiting.size >= LONGEST_QUEUE;
    const callers = [...this.#waiting].filter((other) => other.caller !== undefined);
    const ofOne = callers.filter((other) => other.caller === caller);
    return callers.length >= LONGEST_QUEUE_OF_CALLERS || ofOne.length >= LONGEST_QUEUE_OF_ONE;
  }

  #isOpen(): boolean {
    return !this.closed && this.#inside < this.#limit.value;
  }

  #isOpenTo(caller: string | undefined): boolean {
    if (caller === undefined || !this.#isOpen()) return this.#isOpen();
    const slots = Math.max(1, this.#limit.value >> 1);
    const ofOne = this.#callers.filter((other) => other === caller).length;
    return this.#callers.length < slots && ofOne < Math.max(1, slots >> 1);
  }

  #isBehindWhole({ caller, isPart }: Waiting): boolean {
    if (!isPart || caller === undefined) return false;
    return [...this.#waiting].some((other) => other.caller === caller && !other.isPart);
  }

  #note(caller: string | undefined): void {
    this.#inside++;
    if (caller !== undefined) this.#callers.push(caller);
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#isOpen()) break;
      if (!this.#isOpenTo(waiting.caller) || this.#isBehindWhole(waiting)) continue;
      this.#waiting.delete(waiting);
      this.#note(waiting.caller);
      waiting.enter();
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

import { Admission, type Release } from "../../core/admission.ts";
import { NodeError } from "../errors/errors.ts";

/** A limit between 1 and `maximum`, adapted by additive increase and multiplicative decrease. It starts at the maximum. */
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

  /** `step` is 1 per full batch, and 1 / value per request in flight, so one round adds one. */
  grow(step: number): void {
    this.#value = Math.min(this.#maximum, this.#value + step);
  }

  /** Halves the limit, unless the request began before the last decrease (`startedAt`, ms of `performance.now()`). */
  shrink(startedAt: number): void {
    if (startedAt < this.#shrunkAt) return;
    this.#shrunkAt = performance.now();
    this.#value = Math.max(1, this.#value / 2);
  }
}

/** Most requests in a node's queue: of one caller, of all callers, and in total. */
const QUEUE = { one: 32, clients: 128, all: 10_000 };

/** Semaphore with shares: callers get half of the slots, one caller half of these. Parts of a split request come last. */
export class Gate {
  readonly #admission: Admission;
  #closedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: AdaptiveLimit) {
    this.#admission = new Admission({
      capacity: () => (this.closed ? 0 : limit.value),
      share: () => {
        const all = Math.max(1, limit.value >> 1);
        return { all, one: Math.max(1, all >> 1) };
      },
      queue: QUEUE,
      refuse: (reason) =>
        reason === "aborted"
          ? new NodeError("aborted", "given up before it was sent")
          : new NodeError("busy", "too many requests wait"),
    });
  }

  /** Resolves with the release function. Throws `NodeError`: `aborted`, or `busy` when the queue is full. */
  enter(signal: AbortSignal, client?: string, isPart = false): Promise<Release> {
    return this.#admission.enter({ signal, client, isLast: isPart && client !== undefined });
  }

  /** Returns the release function when a slot is free. */
  tryEnter(): Release | undefined {
    return this.#admission.tryEnter();
  }

  /** Admits nothing for `ms`. */
  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
    this.#openLater();
  }

  get closed(): boolean {
    return performance.now() < this.#closedUntil;
  }

  #openLater(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        if (this.closed) this.#openLater();
        else this.#admission.admit();
      },
      Math.max(1, Math.ceil(this.#closedUntil - performance.now())),
    ).unref();
  }
}

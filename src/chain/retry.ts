import { sleep } from "../core/async.ts";

/** Askings in a row that bring nothing; after them a question is given up. */
const FRUITLESS_ASKINGS = 7;
const FIRST_PAUSE_MS = 50;
/** None is begun later than this after the first of them. */
const PATIENCE_MS = 45_000;

/**
 * The budget of one piece of work that asks nodes: the only place that decides whether something is asked again, shared
 * by all that the work asks (docs/architecture.md, "When a node is asked again").
 */
export class Retry {
  readonly #stop: AbortSignal | undefined;
  readonly #askings: number;
  #fruitless = 0;
  #since = performance.now();

  /** `askings` is 1 for a part of a piece of work whose own budget decides whether it is asked again. */
  constructor(stop?: AbortSignal, { askings = FRUITLESS_ASKINGS } = {}) {
    this.#stop = stop;
    this.#askings = askings;
  }

  /** Notes that something was gained for good: the budget and the pauses begin anew. */
  progressed(): void {
    this.#fruitless = 0;
    this.#since = performance.now();
  }

  /**
   * Waits until it is time to ask again; false when it is not to be asked again. The pauses double, are never in step
   * with those of others, and are short after an asking that brought a part, which costs nothing of the budget.
   */
  async again({ partly = false }: { partly?: boolean } = {}): Promise<boolean> {
    if (!partly) this.#fruitless++;
    const isUsedUp =
      this.#fruitless >= this.#askings || performance.now() - this.#since > PATIENCE_MS;
    if (isUsedUp || this.#stop?.aborted) return false;
    const doubled = partly ? 0 : this.#fruitless - 1;
    await sleep(FIRST_PAUSE_MS * 2 ** doubled * (0.5 + Math.random() / 2), this.#stop);
    return !this.#stop?.aborted;
  }
}

/** A request for admission. */
export interface Ticket {
  /** The client whose share it counts in; without one it needs capacity only. */
  client?: string | undefined;
  /** In the unit of the capacity; at most the whole capacity. Default 1. */
  amount?: number;
  /** Comes after the other tickets of its client. */
  isLast?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

export interface AdmissionOptions {
  /** Returns the total capacity; read at each decision. */
  capacity(): number;
  /** Most admitted tickets of one client, and of all clients. Default: no bound. */
  share?(): { one: number; all?: number };
  /** Most waiting tickets of one client, of all clients, and altogether. Default: no bound. */
  queue?: { one?: number; clients?: number; all?: number };
  /** Time limit of a wait, in milliseconds. Default: no bound. */
  patienceMs?: number;
  /** Returns the error of a refused ticket: the queue is full, the wait too long, or its signal aborted. */
  refuse(reason: "full" | "late" | "aborted"): Error;
}

/** Releases the ticket; further calls do nothing. */
export type Release = () => void;

interface Waiter extends Ticket {
  admit(): void;
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** First-come semaphore with shares. A ticket that waits for capacity blocks those behind it, one that waits for its share does not. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #waiting = new Set<Waiter>();
  /** Admitted tickets of each client. */
  readonly #clients = new Map<string, number>();
  #ofClients = 0;
  #taken = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Resolves with the release once the ticket is admitted. Rejects with the error of `refuse`. */
  async enter(ticket: Ticket = {}): Promise<Release> {
    const { refuse, patienceMs } = this.#options;
    const { signal } = ticket;
    if (signal?.aborted) throw refuse("aborted");
    const release = this.tryEnter(ticket);
    if (release) return release;
    if (this.#isQueueFull(ticket.client)) throw refuse("full");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { ...ticket, admit: resolve };
    const giveUp = (reason: "late" | "aborted") => {
      if (!this.#waiting.delete(waiter)) return;
      reject(refuse(reason));
      this.admit();
    };
    const abort = () => giveUp("aborted");
    signal?.addEventListener("abort", abort, { once: true });
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs, "late");
    this.#waiting.add(waiter);
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
    return this.#releaseOf(ticket);
  }

  /** Returns the release when the ticket is admitted at once, behind all waiting ones. */
  tryEnter(ticket: Ticket = {}): Release | undefined {
    let isInside = false;
    const waiter = {
      ...ticket,
      admit: () => {
        isInside = true;
      },
    };
    this.#waiting.add(waiter);
    this.admit();
    this.#waiting.delete(waiter);
    return isInside ? this.#releaseOf(ticket) : undefined;
  }

  /** Admits tickets after the capacity has grown. */
  admit(): void {
    const capacity = this.#options.capacity();
    const { one, all = UNBOUNDED } = this.#options.share?.() ?? { one: UNBOUNDED };
    for (const waiter of this.#waiting) {
      const { client, amount = 1, isLast } = waiter;
      if (this.#taken + amount > capacity) return;
      if (client !== undefined && (this.#ofClients >= all || this.#insideOf(client) >= one))
        continue;
      if (isLast && this.#isBehind(waiter)) continue;
      this.#waiting.delete(waiter);
      this.#count(waiter, 1);
      waiter.admit();
    }
  }

  #insideOf(client: string): number {
    return this.#clients.get(client) ?? 0;
  }

  #isBehind({ client }: Waiter): boolean {
    return [...this.#waiting].some((other) => other.client === client && !other.isLast);
  }

  #isQueueFull(client: string | undefined): boolean {
    const { one = UNBOUNDED, clients = UNBOUNDED, all = UNBOUNDED } = this.#options.queue ?? {};
    if (this.#waiting.size >= all) return true;
    if (client === undefined || (one === UNBOUNDED && clients === UNBOUNDED)) return false;
    const waiting = [...this.#waiting].flatMap((other) => other.client ?? []);
    return waiting.length >= clients || waiting.filter((other) => other === client).length >= one;
  }

  #count({ client, amount = 1 }: Ticket, sign: 1 | -1): void {
    this.#taken += sign * amount;
    if (client === undefined) return;
    this.#ofClients += sign;
    const inside = this.#insideOf(client) + sign;
    if (inside === 0) this.#clients.delete(client);
    else this.#clients.set(client, inside);
  }

  #releaseOf(ticket: Ticket): Release {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#count(ticket, -1);
      this.admit();
    };
  }
}

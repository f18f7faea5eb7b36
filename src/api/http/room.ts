import { RequestError } from "../../core/errors.ts";

export interface RoomOptions {
  /** How much may be inside, in the unit of `enter`. */
  size: number;
  /** How many of one client may be inside. */
  share: number;
  /** How many may wait in line. */
  waiting: number;
  /** How long one of them waits, in milliseconds. */
  patienceMs: number;
  /** Text for those who are refused. */
  busy: string;
}

/** A client's place in line or inside. */
export interface Place {
  /** Resolves when inside. Rejects with `RequestError` (503) when the line is too long or the wait too long. */
  admitted: Promise<void>;
  /** Leaves the line or the room; may be called more than once. */
  leave(): void;
}

/** A bounded amount of something, of which a client has a share at most: first come first served. */
export interface Room {
  /** `amount` must fit into an empty room. */
  enter(client: string, amount: number): Place;
}

interface Waiter {
  client: string;
  amount: number;
  admit(): void;
}

const RETRY_AFTER_SECONDS = 5;

/** Creates an empty room. */
export function createRoom({ size, share, waiting, patienceMs, busy }: RoomOptions): Room {
  const line = new Set<Waiter>();
  const inside = new Set<Waiter>();

  function hasItsShare(client: string): boolean {
    let places = 0;
    for (const other of inside) if (other.client === client) places++;
    return places >= share;
  }

  function isRoomFor(amount: number): boolean {
    let taken = amount;
    for (const other of inside) taken += other.amount;
    return taken <= size;
  }

  function admitNext(): void {
    const isPassed = new Set<string>();
    for (const waiter of line) {
      // Later waiters pass one that waits for its own client's requests to end. They do not pass one that waits for
      // room.
      if (isPassed.has(waiter.client)) continue;
      if (hasItsShare(waiter.client)) {
        isPassed.add(waiter.client);
      } else if (isRoomFor(waiter.amount)) {
        line.delete(waiter);
        inside.add(waiter);
        waiter.admit();
      } else return;
    }
  }

  return {
    enter(client, amount) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const refuse = () =>
        reject(new RequestError(503, busy, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      let timer: NodeJS.Timeout | undefined;
      const waiter: Waiter = {
        client,
        amount,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const leave = () => {
        clearTimeout(timer);
        line.delete(waiter);
        if (inside.delete(waiter)) admitNext();
      };
      promise.catch(leave);
      if (line.size >= waiting) refuse();
      else {
        line.add(waiter);
        admitNext();
        if (line.has(waiter)) timer = setTimeout(refuse, patienceMs);
      }
      return { admitted: promise, leave };
    },
  };
}

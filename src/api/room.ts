import { RequestError } from "../core/errors.ts";

export interface RoomOptions {
  /** Bytes of all that is inside. */
  bytes: number;
  /** How many may wait in line. */
  waiting: number;
  /** How long one of them waits, in milliseconds. */
  patienceMs: number;
}

/** A client's place in line or inside. */
export interface Place {
  /** Resolves when inside. Rejects with `RequestError` (503) when the line is too long or the wait too long. */
  admitted: Promise<void>;
  /** Leaves the line or the room; may be called more than once. */
  leave(): void;
}

/** A bounded amount of memory for large requests: one per client at a time, first come first served. */
export interface Room {
  /** `bytes` must fit into an empty room. */
  enter(client: string, bytes: number): Place;
}

interface Waiter {
  client: string;
  bytes: number;
  admit(): void;
}

const RETRY_AFTER_SECONDS = 5;

/** Creates an empty room. */
export function createRoom({ bytes: size, waiting, patienceMs }: RoomOptions): Room {
  const line = new Set<Waiter>();
  const inside = new Set<Waiter>();

  function canEnter({ client, bytes }: Waiter): boolean {
    let taken = bytes;
    for (const other of inside) {
      if (other.client === client) return false;
      taken += other.bytes;
    }
    return taken <= size;
  }

  function admitNext(): void {
    const isPassed = new Set<string>();
    for (const waiter of line) {
      // Later waiters pass one that waits for its own client's request to end. They do not pass one that waits for
      // room.
      if (isPassed.has(waiter.client)) continue;
      if (canEnter(waiter)) {
        line.delete(waiter);
        inside.add(waiter);
        waiter.admit();
      } else if ([...inside].some(({ client }) => client === waiter.client)) {
        isPassed.add(waiter.client);
      } else return;
    }
  }

  return {
    enter(client, bytes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const refuse = () => reject(tooBusy());
      const timer = setTimeout(refuse, patienceMs);
      const waiter: Waiter = {
        client,
        bytes,
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
      }
      return { admitted: promise, leave };
    },
  };
}

function tooBusy(): RequestError {
  const text = "Too many large requests at a time, please try again later";
  return new RequestError(503, text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** A number of places for work that only so many may do at once. */
export interface Slots {
  /** Resolves once the caller has a place, in the order they came; one that comes back to its work goes first. */
  enter(comesBack?: boolean): Promise<void>;
  leave(): void;
}

/** Creates `count` free places. */
export function createSlots(count: number): Slots {
  let free = count;
  const line: { comesBack: boolean; admit(): void }[] = [];

  return {
    enter: (comesBack = false) => {
      if (free > 0) {
        free--;
        return Promise.resolve();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const place = comesBack ? line.findIndex((other) => !other.comesBack) : -1;
      line.splice(place < 0 ? line.length : place, 0, { comesBack, admit: resolve });
      return promise;
    },
    leave: () => {
      const next = line.shift();
      if (next) next.admit();
      else free++;
    },
  };
}

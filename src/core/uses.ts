/** Counts what uses a thing that is to be closed once nothing does. */
export interface Uses {
  /** Gives what ends this use. */
  begin(): () => void;
  /** Resolves when there are none. */
  over(): Promise<void>;
}

export function createUses(): Uses {
  let count = 0;
  const waiting: (() => void)[] = [];
  return {
    begin: () => {
      count++;
      return () => {
        count--;
        if (count === 0) for (const resolve of waiting.splice(0)) resolve();
      };
    },
    over: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

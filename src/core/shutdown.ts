type Closer = { name: string; close: () => Promise<void> | void };

/** Parts register closers here; `close` runs them once, last registered first. */
export interface Shutdown {
  /** Aborted when closing begins: loops and waits end on it. */
  readonly signal: AbortSignal;
  add(name: string, close: Closer["close"]): void;
  /** Closes everything; reports a failed closer and runs the others. */
  close(): Promise<void>;
}

/** Creates the shutdown object of a process. `onError` receives the name of the part whose closer failed. */
export function createShutdown(onError: (name: string, error: unknown) => void): Shutdown {
  const controller = new AbortController();
  const closers: Closer[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    controller.abort();
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer.close();
      } catch (error) {
        onError(closer.name, error);
      }
    }
  }

  return {
    signal: controller.signal,
    add: (name, close) => {
      closers.push({ name, close });
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

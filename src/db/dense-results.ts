/** What postgres.js makes of a template, as far as it is needed here. */
interface DriverQuery {
  executed: boolean;
  resolve(result: unknown): void;
  cursorFn?(part: unknown): unknown;
  handle(): Promise<void>;
}

const repaired = new WeakSet<DriverQuery>();

/**
 * Makes the results of postgres.js begin with their first row. It counts the rows of a result per connection and forgets
 * to start anew when a statement fails behind its first rows (a time limit, a conflict on a replica): the next result
 * on that connection then has as many holes in front. `query` is any query of the driver; all are concerned.
 */
export function closeGaps(query: object): void {
  const prototype: DriverQuery = Object.getPrototypeOf(query);
  if (repaired.has(prototype)) return;
  repaired.add(prototype);
  const { handle } = prototype;
  prototype.handle = function handleDense(this: DriverQuery) {
    if (!this.executed) {
      const { resolve, cursorFn } = this;
      this.resolve = (result) => resolve(dense(result));
      if (cursorFn) this.cursorFn = (part) => cursorFn(dense(part));
    }
    return handle.call(this);
  };
}

function dense(result: unknown): unknown {
  if (Array.isArray(result) && result.length > 0 && !(0 in result)) {
    result.splice(0, result.length - Object.keys(result).length);
  }
  return result;
}

// A value that components share: they are drawn again whenever it is set.

import { useEffect, useState } from "preact/hooks";

export function createStore(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener(next);
    },
    use() {
      const [shown, setShown] = useState(value);
      useEffect(() => {
        setShown(value);
        listeners.add(setShown);
        return () => listeners.delete(setShown);
      }, []);
      return shown;
    },
  };
}

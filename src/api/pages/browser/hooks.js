import { useEffect, useState } from "preact/hooks";
import { ask, keyOf } from "./api.js";

/**
 * What a request is answered with: `{ value, error, isLoading }`. Another request takes the place of the one before;
 * the same one with another `version` is asked again, and what was known stays meanwhile. Null asks nothing.
 */
export function useAnswer(request, version = 0) {
  const key = request === null ? null : keyOf(request);
  const [answer, setAnswer] = useState({ key: undefined });
  useEffect(() => {
    if (request === null) return undefined;
    const controller = new AbortController();
    ask(request, controller).then(
      (value) => setAnswer({ key, value }),
      (error) => {
        if (error.name !== "AbortError") setAnswer({ key, error });
      },
    );
    return () => controller.abort();
  }, [key, version]);
  if (key === null) return { isLoading: false };
  return answer.key === key ? { ...answer, isLoading: false } : { isLoading: true };
}

/** The time in milliseconds, anew every so many. */
export function useNow(intervalMs = 5_000) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}

/** Acts once, as soon as an element is in the window; null never acts. */
export function useWhenSeen(element, act) {
  useEffect(() => {
    if (act === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      act();
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
}

/** The part of the page that the address bar names behind `#`. */
export function usePart(fallback) {
  const read = () => /^#([\w-]+)/.exec(location.hash)?.[1] ?? fallback;
  const [part, setPart] = useState(read);
  useEffect(() => {
    const follow = () => setPart(read());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return part;
}

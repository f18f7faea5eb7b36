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

/** Parts of pages by the names that other explorers give them behind `#` or in `?tab=`. */
const OTHER_NAMES = new Map([
  ["txs", "transactions"],
  ["internaltx", "internal"],
  ["internal_txns", "internal"],
  ["tokentxns", "transfers"],
  ["token_transfers", "transfers"],
  ["tokentxnserc721", "nft"],
  ["nfttransfers", "nft"],
  ["tokentxnserc1155", "multi"],
  ["events", "logs"],
  ["mine", "mined"],
  ["blocks_validated", "mined"],
  ["contract", "code"],
  ["readcontract", "read"],
  ["readproxycontract", "read"],
  ["read_contract", "read"],
  ["read_proxy", "read"],
  ["balances", "holders"],
]);

/** The part of `parts` that the address bar names behind `#`, or in `?tab=` as other explorers do. */
export function usePart(fallback, parts) {
  const read = () => {
    const tab = new URLSearchParams(location.search).get("tab") ?? "";
    const name = /^#([\w-]+)/.exec(location.hash)?.[1] ?? tab;
    const lower = name.toLowerCase();
    return [lower, OTHER_NAMES.get(lower)].find((one) => parts.includes(one));
  };
  const [part, setPart] = useState(read);
  useEffect(() => {
    const follow = () => setPart(read());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return part ?? fallback;
}

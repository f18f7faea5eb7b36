import { useEffect, useRef, useState } from "preact/hooks";
import { action, ask, keyOf, trouble, Unanswered } from "./api.js";
import { head } from "./heads.js";
import { createStore } from "./store.js";
import { hasPrice } from "./surroundings.js";

const RETRY_MS = 4_000;

/**
 * The answer to a request: `{ value, error, isLoading }`. Another request takes the place of the one before; the same one
 * is asked again as the chain goes on, and the last answer stays meanwhile: with every `head`, or where `follows` says so
 * only when blocks were rolled back (`branch`) or never (`nothing`); another `count` asks again as well. Null asks nothing.
 */
export function useAnswer(request, follows = "head", count = 0) {
  const { version, branch } = head.use();
  const [answer, setAnswer] = useState({});
  const [retries, setRetries] = useState(0);
  const running = useRef({});
  const key = request === null ? null : keyOf(request);
  const stamp = { head: version, branch, nothing: 0 }[follows];
  useEffect(() => {
    if (request === null) return undefined;
    // The answer under way is waited for: otherwise quick heads would leave none.
    if (running.current.key === key) {
      running.current.isLate = true;
      return undefined;
    }
    const run = { key };
    running.current = run;
    let timer;
    const settle = (next) => {
      if (running.current !== run) return;
      running.current = {};
      setAnswer(next);
      if (run.isLate) setRetries((number) => number + 1);
    };
    ask(request).then(
      (value) => settle({ key, value }),
      (error) => {
        settle((last) =>
          error instanceof Unanswered && last.key === key && last.value !== undefined
            ? last
            : { key, error },
        );
        if (error instanceof Unanswered) {
          const wait = Math.max(RETRY_MS, (trouble.get()?.until ?? 0) - Date.now());
          timer = setTimeout(() => setRetries((number) => number + 1), wait);
        }
      },
    );
    return () => clearTimeout(timer);
  }, [key, stamp, retries, count]);
  if (key === null) return { isLoading: false };
  return answer.key === key ? { ...answer, isLoading: false } : { isLoading: true };
}

/** The coin's price in dollars where the server reads one. */
export function usePrice() {
  const request = hasPrice ? action("The price of the coin", "stats", "coinprice") : null;
  return useAnswer(request, "branch").value?.coin_usd;
}

/** The time in milliseconds, every so many. */
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

/** The address bar: parts, pages and filters stand there, so Back and a copied link lead to them. */
const place = createStore(location.href);
for (const event of ["popstate", "hashchange"]) {
  addEventListener(event, () => place.set(location.href));
}

/** Changes parameters of the address bar, null removes one, and the part behind `#`. */
export function go(parameters, part) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (part !== undefined) url.hash = part;
  history.pushState(null, "", url);
  place.set(url.href);
}

/** A number from 1 that a parameter of the address bar holds. */
export function useCount(name) {
  const text = new URL(place.use()).searchParams.get(name) ?? "";
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
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
  ["writecontract", "write"],
  ["writeproxycontract", "write"],
  ["write_contract", "write"],
  ["write_proxy", "write"],
  ["balances", "holders"],
]);

/** The part of `parts` that the address bar names behind `#`, or in `?tab=` as other explorers do. */
export function usePart(fallback, parts) {
  const { hash, searchParams } = new URL(place.use());
  const name = /^#([\w-]+)/.exec(hash)?.[1] ?? searchParams.get("tab") ?? "";
  const lower = name.toLowerCase();
  return [lower, OTHER_NAMES.get(lower)].find((one) => parts.includes(one)) ?? fallback;
}

// The served head as it moves: by the server's stream, and where that is not to be had by asking now and then.

import { firstHead, forgetFirst, trouble } from "./api.js";
import { createStore } from "./store.js";
import { at } from "./surroundings.js";

const POLL_MS = 3_000;
/** Pages ask again no sooner than this after the last time, unless blocks were rolled back. */
const LEAST_MS = 2_000;
const HEAD_PATH = "api?module=block&action=eth_block_number";
const AWAY = "The server does not answer";

const [number = null, hash = ""] = firstHead?.split(";") ?? [];
/**
 * The head that the page is true for. `version` grows with every other head, `branch` whenever blocks were rolled back;
 * `number` is null before the first.
 */
export const head = createStore({
  number,
  hash,
  generation: null,
  time: null,
  version: 0,
  branch: 0,
});

let latest;
let timer;
let changed = 0;

function isBack() {
  if (trouble.get()?.text === AWAY) trouble.set(null);
}

/** Notes a head; pages ask again now, or as soon as they may. */
function note(next) {
  isBack();
  latest = next;
  const pause = trouble.get() ? trouble.get().until - Date.now() : 0;
  const wait = isOtherBranch(next) ? 0 : changed + LEAST_MS - Date.now();
  clearTimeout(timer);
  if (Math.max(wait, pause) <= 0) publish();
  else timer = setTimeout(() => note(latest), Math.max(wait, pause) + 1);
}

function isOtherBranch({ number, hash, generation }) {
  const last = head.get();
  if (last.number === null || hash === last.hash) return false;
  if (last.generation !== null && generation !== undefined) return generation !== last.generation;
  return Number(number) <= Number(last.number);
}

function publish() {
  const last = head.get();
  const isOther = latest.hash !== last.hash;
  const branch = last.branch + Number(isOtherBranch(latest));
  if (isOther) {
    changed = Date.now();
    forgetFirst();
  }
  head.set({ ...last, ...latest, version: last.version + Number(isOther), branch });
}

/** Follows the heads for as long as the page is seen: a browser has few connections to one server. */
export function followHeads() {
  let stream;
  let polling;

  function open() {
    stream = new EventSource(at("events"));
    stream.onopen = isBack;
    stream.addEventListener("head", ({ data }) => {
      const { number, hash, generation, timestamp } = JSON.parse(data);
      note({ number: String(number), hash, generation, time: timestamp });
    });
    // It opens again by itself, unless it was refused: then there are too many listeners.
    stream.onerror = () => {
      if (stream?.readyState === EventSource.CLOSED) void poll();
      else trouble.set({ text: AWAY, until: 0 });
    };
  }

  async function poll() {
    clearTimeout(polling);
    try {
      const { headers } = await fetch(at(HEAD_PATH));
      const [number, hash] = headers.get("x-periscope-block")?.split(";") ?? [];
      if (hash) note({ number, hash });
    } catch {
      trouble.set({ text: AWAY, until: 0 });
    }
    polling = setTimeout(poll, POLL_MS);
  }

  function follow() {
    stream?.close();
    stream = undefined;
    clearTimeout(polling);
    if (!document.hidden) open();
  }

  document.addEventListener("visibilitychange", follow);
  follow();
}

// The served head as it moves: by the server's stream, and where that is not to be had by asking now and then.

import { useEffect, useState } from "preact/hooks";
import { at } from "./surroundings.js";

const POLL_MS = 3_000;
const HEAD_PATH = "api?module=block&action=eth_block_number";

/** Calls back with a text that is another one whenever the head is; gives a function that ends it. */
export function followHeads(onHead) {
  let stream;
  let timer;

  function open() {
    stream = new EventSource(at("events"));
    stream.addEventListener("head", ({ lastEventId }) => onHead(lastEventId));
    // It opens again by itself, unless it was refused: then there are too many listeners.
    stream.onerror = () => {
      if (stream?.readyState === EventSource.CLOSED) void poll();
    };
  }

  async function poll() {
    clearTimeout(timer);
    try {
      const { headers } = await fetch(at(HEAD_PATH));
      const head = headers.get("x-periscope-block");
      if (head) onHead(head);
    } catch {
      // The server is away: the page itself says so.
    }
    timer = setTimeout(poll, POLL_MS);
  }

  function close() {
    stream?.close();
    stream = undefined;
    clearTimeout(timer);
  }

  /** A browser has few connections to one server: a page that nobody sees keeps none. */
  function follow() {
    close();
    if (!document.hidden) open();
  }

  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}

/** The head by its identity; null before the first. */
export function useHead() {
  const [head, setHead] = useState(null);
  useEffect(() => followHeads(setHead), []);
  return head;
}

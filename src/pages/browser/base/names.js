// Names of addresses: the operator's labels (LABELS_FILE), and the names of verified contracts and tokens.

import { useEffect } from "preact/hooks";
import { action, actionV2, ask } from "./api.js";
import { head } from "./heads.js";
import { html } from "./html.js";
import { createStore } from "./store.js";
import { hasLabels } from "./surroundings.js";

/** Addresses of one request. */
const MOST = 100;
/** A stranger's name that could pass for another address. */
const LOOKS_LIKE_ADDRESS = /^\s*0x/i;

/** Creates a map of addresses that fills itself: those wanted at one moment share a request, `read`, which gives entries. */
function createLookup(read) {
  const found = createStore(new Map());
  const asked = new Set();
  let waiting = [];

  function add(entries) {
    for (const [address] of entries) asked.add(address);
    if (entries.length > 0) found.set(new Map([...found.get(), ...entries]));
  }

  async function flush() {
    const addresses = waiting.slice(0, MOST).join();
    waiting = waiting.slice(MOST);
    if (waiting.length > 0) queueMicrotask(flush);
    add(await read(addresses).catch(() => []));
  }

  return {
    use: found.use,
    has: (address) => found.get().has(address),
    add,
    want(address) {
      if (asked.has(address)) return;
      asked.add(address);
      // In this task: the request then travels with the page's others.
      if (waiting.push(address) === 1) queueMicrotask(flush);
    },
    clear() {
      asked.clear();
      found.set(new Map());
    },
  };
}

const labels = createLookup(async (address) => {
  const request = actionV2("Labels of the operator", "nametag", "getaddresstag", { address });
  return (await ask(request, { isListed: false })).map((row) => [row.address, row]);
});

const names = createLookup(async (addresses) => {
  const request = action("Names of the addresses", "contract", "listnames", { addresses });
  return (await ask(request)).map((row) =>
    entryOf(row.address, row.contractName || row.tokenName || row.tokenSymbol),
  );
});
let branch = 0;

const entryOf = (address, name) => [address, LOOKS_LIKE_ADDRESS.test(name) ? undefined : name];

/** The name of an address, once it is known; undefined without one. */
export function useName(address, isNeeded) {
  const { branch: now } = head.use();
  const known = names.use();
  useEffect(() => {
    // A contract that was rolled back has no name.
    if (now !== branch) names.clear();
    branch = now;
    if (isNeeded) names.want(address);
  }, [address, isNeeded, now]);
  return isNeeded ? known.get(address) : undefined;
}

/** Adds names that another answer gave, `{ address, name }`: no request is made for them. */
export function noteNames(contracts) {
  const fresh = contracts.filter(({ address }) => !names.has(address));
  names.add(fresh.map(({ address, name }) => entryOf(address, name)));
}

/** The label of an address, a row of the API; undefined without one. */
export function useLabel(address) {
  const key = address?.toLowerCase();
  useEffect(() => {
    if (hasLabels && key) labels.want(key);
  }, [key]);
  return labels.use().get(key);
}

/** The name of a label, marked as the operator's. */
export function Label({ label: { nametag } }) {
  return html`<bdi class="tag" title="Named by the operator of this explorer">${nametag}</bdi>`;
}

// Names of addresses: those of verified contracts and of tokens. Addresses of one moment are asked for together.

import { useEffect } from "preact/hooks";
import { action, ask } from "./api.js";
import { head } from "./heads.js";
import { createStore } from "./store.js";

const MOST = 100;
const names = createStore(new Map());
const asked = new Set();
let waiting = [];
let branch = 0;

/** The name of an address, once it is known; undefined without one. */
export function useName(address, isNeeded) {
  const { branch: now } = head.use();
  const known = names.use();
  useEffect(() => {
    if (isNeeded) want(address, now);
  }, [address, isNeeded, now]);
  return isNeeded ? known.get(address) : undefined;
}

/** Notes the names that another answer gave, `{ address, name }`: nothing asks for them. */
export function noteNames(contracts) {
  const fresh = contracts.filter(({ address }) => !names.get().has(address));
  for (const { address } of fresh) asked.add(address);
  if (fresh.length > 0) add(fresh.map(({ address, name }) => [address, name]));
}

function want(address, now) {
  // A contract that was rolled back has no name.
  if (now !== branch) {
    branch = now;
    asked.clear();
    names.set(new Map());
  }
  if (asked.has(address)) return;
  asked.add(address);
  waiting.push(address);
  // So they are asked together with what the page asks at the same moment.
  if (waiting.length === 1) queueMicrotask(flush);
}

async function flush() {
  const addresses = waiting.slice(0, MOST).join();
  waiting = waiting.slice(MOST);
  if (waiting.length > 0) queueMicrotask(flush);
  const request = action("Names of the addresses", "contract", "listnames", { addresses });
  const rows = await ask(request).catch(() => []);
  add(rows.map((row) => [row.address, row.contractName || row.tokenName || row.tokenSymbol]));
}

function add(entries) {
  if (entries.length > 0) names.set(new Map([...names.get(), ...entries]));
}

// The operator's own names of addresses (LABELS_FILE): asked for together, and once for each address.

import { useEffect } from "preact/hooks";
import { actionV2, ask } from "./api.js";
import { html } from "./html.js";
import { createStore } from "./store.js";
import { hasLabels } from "./surroundings.js";

/** Addresses of one request. */
const MOST = 100;

const labels = createStore(new Map());
const asked = new Set();
const waiting = [];

function want(address) {
  if (!hasLabels || !address || asked.has(address)) return;
  asked.add(address);
  if (waiting.push(address) === 1) setTimeout(flush);
}

async function flush() {
  const address = waiting.splice(0, MOST).join();
  if (waiting.length > 0) setTimeout(flush);
  const request = actionV2("Labels of the operator", "nametag", "getaddresstag", { address });
  const rows = await ask(request, { isListed: false }).catch(() => []);
  labels.set(new Map([...labels.get(), ...rows.map((row) => [row.address, row])]));
}

/** The label of an address, a row of the API; undefined without one. */
export function useLabel(address) {
  const key = address?.toLowerCase();
  useEffect(() => want(key), [key]);
  return labels.use().get(key);
}

/** The name of a label, marked as the operator's. */
export function Label({ label: { nametag } }) {
  return html`<bdi class="tag" title="Named by the operator of this explorer">${nametag}</bdi>`;
}

// What the server says of the chain and of the page, in attributes of the document.

import { cleaned } from "./format.js";

const LONGEST_SYMBOL = 20;

const {
  base,
  page,
  subject,
  network,
  chain,
  coin,
  price,
  chains: served,
  labels,
} = document.documentElement.dataset;

/** Root of the chain: every path is relative to it. */
export const root = new URL(base, location.href).href;
/** Hash, address, number or text that the page is about; empty without one. */
export const subjectOfPage = subject;
/** `transaction`, `address`, `home` and so on. */
export const pageKind = page;
export const networkName = cleaned(network);
/** Empty until the server knows it. */
export const chainId = chain;
/** True if the operator has named addresses. */
export const hasLabels = labels !== "";
export const coinSymbol = cleaned(coin, LONGEST_SYMBOL);
/** True if the server reads the coin's price. */
export const hasPrice = price === "true";
/** Ids and names of all chains of the server; empty where this is the only one. */
export const chains = JSON.parse(served);

/** Where the files of the pages are. */
export const folder = new URL(".", document.querySelector("link[rel=stylesheet]").href).href.slice(
  0,
  -1,
);

/** URL of a path of this chain. */
export function at(path) {
  return new URL(path, root).href;
}

/** Path of a thing's page: the words are parts of a path. */
export function pathTo(...words) {
  return at(words.map(encodeURIComponent).join("/"));
}

// The API's client: every figure of a page comes through here, and can be asked for by anybody.

import { at, chainId } from "./surroundings.js";

/** The API answered, but not with what was asked for. */
export class Refused extends Error {}

/** A request of the explorer's API in Blockscout's dialect. `title` says what it asks, for people. */
export function action(title, module, name, parameters = {}) {
  return explorer(title, "api", { module, action: name, ...parameters });
}

/** The same in Etherscan's dialect, whose records of transactions say more. */
export function actionV2(title, module, name, parameters = {}) {
  const chain = chainId === "" ? {} : { chainid: chainId };
  return explorer(title, "v2/api", { ...chain, module, action: name, ...parameters });
}

function explorer(title, path, parameters) {
  return { title, path: `${path}?${new URLSearchParams(parameters)}`, read: resultOf };
}

/** A request of Sourcify's API. */
export function sourcify(title, path) {
  return { title, path: `sourcify/v2/${path}`, read: (answer) => answer };
}

/** A document of the server itself. */
export function report(title, path) {
  return { title, path, read: (answer) => answer };
}

/** Calls over JSON-RPC, as one batch; gives their results in order, an `Error` in the place of each that failed. */
export function rpc(title, calls) {
  const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  return {
    title,
    path: "api/eth-rpc",
    body: JSON.stringify(body),
    read: (answers) => {
      if (!Array.isArray(answers)) throw new Refused(answers.message ?? answers.error);
      return answers.map(({ result, error }) =>
        error === undefined ? result : new Refused(error.message ?? error),
      );
    },
  };
}

function resultOf({ status, message, result }) {
  if (status === "1") return result;
  // An empty list is no failure.
  if (Array.isArray(result) && result.length === 0) return result;
  throw new Refused(message === "NOTOK" || message === "OK" ? String(result) : message);
}

/** Which requests the page has made, for those who want to make them too. */
const made = new Map();
const listeners = new Set();

/** Requests by their key, and who wants to be told of further ones. */
export function requestsMade() {
  return [...made.values()];
}

/** Calls back with every further request; gives a function that ends it. */
export function onRequest(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells requests apart. */
export function keyOf({ path, body }) {
  return body === undefined ? path : `${path} ${body}`;
}

/** The command that makes a request. */
export function curlOf({ path, body }) {
  const url = `curl '${at(path)}'`;
  if (body === undefined) return url;
  return `${url} \\\n  -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'`;
}

/** What a request is answered with. Throws `Refused` with words for people. */
export async function ask(request, { signal, isListed = true } = {}) {
  const key = keyOf(request);
  if (isListed && !made.has(key)) {
    made.set(key, request);
    for (const listener of listeners) listener();
  }
  const { path, body, read } = request;
  const post = { method: "POST", body, headers: { "content-type": "application/json" } };
  let response;
  try {
    response = await fetch(at(path), { signal, ...(body === undefined ? {} : post) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The server does not answer.");
  }
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(`The server answered with HTTP ${response.status} and no JSON.`);
  }
  if (response.ok) return read(answer);
  throw new Refused(answer.message ?? `The server answered with HTTP ${response.status}.`);
}

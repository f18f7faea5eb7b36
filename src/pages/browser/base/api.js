// The API's client: every figure of a page comes through here, and can be asked for by anybody.

import { createStore } from "./store.js";
import { at, chainId } from "./surroundings.js";

/** The API answered, but not with what was asked for. */
export class Refused extends Error {}
/** No answer about the question: the server is away, busy, or counts too many requests. */
export class Unanswered extends Refused {}

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
  return {
    title,
    path: `${path}?${new URLSearchParams(parameters)}`,
    read: resultOf,
    isJoined: true,
  };
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
export function rpc(title, calls, path = "api/eth-rpc") {
  const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  return {
    title,
    path,
    body: JSON.stringify(body),
    isJoined: path === "api/eth-rpc",
    read: (answers) => {
      if (!Array.isArray(answers)) throw new Refused(answers.message ?? answers.error);
      return answers.map(({ result, error }) =>
        error === undefined
          ? result
          : Object.assign(new Refused(error.message ?? error), { data: error.data }),
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

/** Requests that the page has made, by their keys, for those who want to make them too. */
export const requestsMade = createStore(new Map());
/** Why the page does not follow the chain at the moment, `{ text, until }`; null while it does. */
export const trouble = createStore(null);

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

/** Answers that came with the document, by the keys of their requests. */
const first = new Map();
const [asked = [], entries = []] = JSON.parse(document.getElementById("answers").textContent);
asked.forEach((request, index) => {
  if (entries[index].status !== 0) first.set(keyOf(request), entries[index]);
});
/** The head of those answers, `number;hash`; undefined without any. */
export const firstHead = entries.find(({ block }) => block)?.block;

/** Forgets the answers that came with the document: they are of an earlier head. */
export function forgetFirst() {
  first.clear();
}

/** The answer to a request. Throws `Refused` with words for people. */
export async function ask(request, { isListed = true } = {}) {
  const key = keyOf(request);
  if (isListed && !requestsMade.get().has(key)) {
    requestsMade.set(new Map(requestsMade.get()).set(key, request));
  }
  const { status, answer } = first.get(key) ?? (await share(key, request));
  if (status < 300) return request.read(answer);
  const text = answer?.message ?? answer?.error ?? `The server answered with HTTP ${status}.`;
  const Kind = status === 429 || status >= 500 ? Unanswered : Refused;
  throw new Kind(typeof text === "string" ? text : text.message);
}

/** Requests under way, by their keys: parts of a page that ask the same ask once. */
const running = new Map();

function share(key, request) {
  if (!running.has(key)) {
    const answer = request.isJoined ? join(request) : send(request);
    running.set(
      key,
      answer.finally(() => running.delete(key)),
    );
  }
  return running.get(key);
}

/** Requests of one moment make one: it costs a visitor one of the requests that a server allows. */
const MOST_JOINED = 16;
let waiting = [];

function join(request) {
  return new Promise((resolve, reject) => {
    waiting.push({ request, resolve, reject });
    if (waiting.length === 1) setTimeout(flush);
  });
}

function flush() {
  const joined = waiting.slice(0, MOST_JOINED);
  waiting = waiting.slice(MOST_JOINED);
  if (waiting.length > 0) setTimeout(flush);
  if (joined.length === 1) {
    const [{ request, resolve, reject }] = joined;
    return void send(request).then(resolve, reject);
  }
  const body = JSON.stringify(joined.map(({ request: { path, body } }) => ({ path, body })));
  return void send({ path: "pages/answers.json", body }).then(
    ({ status, answer }) =>
      joined.forEach(({ request, resolve }, index) => {
        const entry = status === 200 ? answer[index] : { status, answer };
        resolve(entry.status === 0 ? send(request) : entry);
      }),
    (error) => {
      for (const { reject } of joined) reject(error);
    },
  );
}

async function send({ path, body }) {
  const headers = { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(at(path), body === undefined ? {} : { method: "POST", body, headers });
  } catch {
    throw new Unanswered("The server does not answer.");
  }
  const { status } = response;
  if (status === 429) {
    const seconds = Number(response.headers.get("retry-after")) || 5;
    trouble.set({ text: "Too many requests", until: Date.now() + seconds * 1000 });
  } else if (trouble.get()?.until > 0) trouble.set(null);
  try {
    return { status, answer: await response.json() };
  } catch {
    throw new Unanswered(`The server answered with HTTP ${status} and no JSON.`);
  }
}

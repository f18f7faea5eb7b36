// Calls within a transaction, as a tree: each below the one that made it, and folded with it.

import { useState } from "preact/hooks";
import { action, actionV2, rpc } from "../base/api.js";
import { cleaned, grouped } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { decode, selectorOf, signatureOf } from "../decoding/abi.js";
import { Decoded, Guess, Parameters } from "../decoding/decoded.js";
import { useGuessedCall, useGuessedName } from "../decoding/dictionary.js";
import { Data } from "../parts/hexdata.js";
import { Address, Coins, Section, Waiting } from "../parts/parts.js";

const SHOWN_AT_ONCE = 200;
/** Deeper ones are not moved further to the right. */
const DEEPEST_SHOWN = 12;
const SELECTOR_LENGTH = 10;

export function InternalCalls({ hash, isTraced }) {
  const answer = useAnswer(
    actionV2("Its internal transactions", "account", "txlistinternal", {
      txhash: hash,
      sort: "asc",
      include_zero_value: "true",
      names: "true",
    }),
  );
  const frames = answer.value;
  const none = isTraced
    ? "It called no other contract."
    : "Internal transactions are not indexed here: the node offers no traces.";
  return html`<${Section} id="internal" title="Internal calls" aside=${frames && html`<span class="soft">${grouped(frames.length)}</span>`} empty=${frames?.length === 0 && none}>
    ${frames ? html`<${Tree} frames=${frames} hash=${hash} />` : html`<${Waiting} answer=${answer} what="internal calls" />`}
  <//>`;
}

const depthOf = ({ traceId }) => (traceId === "" ? 0 : traceId.split("_").length);

function Tree({ frames, hash }) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const [folded, setFolded] = useState(new Set());
  const isHidden = ({ traceId }) =>
    folded.size > 0 && [...folded].some((parent) => traceId.startsWith(`${parent}_`));
  const visible = frames.filter((frame) => !isHidden(frame));
  const toggle = (traceId) => {
    const next = new Set(folded);
    if (!next.delete(traceId)) next.add(traceId);
    setFolded(next);
  };
  const parents = new Set(frames.map(({ traceId }) => traceId.replace(/_?\d+$/, "")));
  return html`<div>
    <ol class="card calls">
      ${visible.slice(0, shown).map((frame) => html`<${Frame} key=${frame.index} frame=${frame} hash=${hash} isFolded=${folded.has(frame.traceId)} toggle=${parents.has(frame.traceId) && frame.traceId !== "" ? () => toggle(frame.traceId) : null} />`)}
    </ol>
    ${visible.length > shown && html`<p><button type="button" class="small" onClick=${() => setShown(shown + 1000)}>Show more of ${grouped(visible.length)}</button></p>`}
  </div>`;
}

function Frame({ frame, hash, isFolded, toggle }) {
  const [isOpen, setOpen] = useState(false);
  const isRolledBack = frame.isError === "1";
  const to = frame.contractAddress || frame.to;
  const hasInput = frame.type === "call" && frame.input.length >= SELECTOR_LENGTH;
  const what = html`
    <span class="kind">${frame.callType || frame.type}</span>${" "}
    <${Address} address=${frame.from} /> <span aria-label="to">→</span>${" "}
    ${to ? html`<${Address} address=${to} />` : html`<span class="soft">nothing that lasted</span>`}
    ${frame.value !== "0" && html` <${Coins} wei=${frame.value} />`}
    ${hasInput && html` <${Called} frame=${frame} />`}
  `;
  return html`<li style=${{ "--depth": Math.min(depthOf(frame), DEEPEST_SHOWN) }} class=${isRolledBack ? "rolled-back" : undefined}>
    <span class="hidden">Depth ${depthOf(frame)}, </span>
    ${toggle && html`<button type="button" class="fold" aria-expanded=${String(!isFolded)} aria-label="Calls below" onClick=${toggle}>${isFolded ? "+" : "−"}</button>`}
    ${isRolledBack ? html`<s>${what}</s>` : what}
    ${isRolledBack && html` <span class="problem">${cleaned(frame.errCode, 200)}</span>`}
    <span class="soft gas">${grouped(frame.gasUsed)} gas${hasInput && html` <button type="button" class="fold" aria-expanded=${String(isOpen)} aria-label="Arguments and returned values" onClick=${() => setOpen(!isOpen)}>…</button>`}</span>
    ${isOpen && html`<${Details} frame=${frame} hash=${hash} />`}
  </li>`;
}

/** The function that a call is for, by name where a verified ABI or the dictionary has it. */
function Called({ frame: { functionName, input } }) {
  const [name] = functionName.split("(");
  const selector = input.slice(0, SELECTOR_LENGTH);
  const guess = useGuessedName(selector, !name);
  return html`<code class="data">${cleaned(name || guess || selector)}</code>${!name && guess && html` <${Guess} />`}`;
}

/** Shows the arguments and returned values of a call, by the verified ABI of the called contract or by a guess. */
function Details({ frame, hash }) {
  const { to, input, functionName } = frame;
  const abi = useAnswer(
    functionName ? action("The ABI of a call", "contract", "getabi", { address: to }) : null,
    "branch",
  );
  const guess = useGuessedCall(input, !functionName);
  const entry = abi.value && entryOf(JSON.parse(abi.value), input);
  const known = entry && decodedOr(entry.inputs, input.slice(SELECTOR_LENGTH));
  const call = known ? { signature: signatureOf(entry), parameters: known } : guess;
  return html`<div class="arguments">
    ${call ? html`<${Decoded} ...${call} isGuess=${!known} />` : html`<${Data} hex=${input} label="Input of the call" />`}
    <${Returned} frame=${frame} hash=${hash} outputs=${entry?.outputs} />
  </div>`;
}

function Returned({ frame, hash, outputs = [] }) {
  const answer = useAnswer(
    rpc("Its calls with what they returned", [["ots_traceTransaction", [hash]]], "ots"),
    "branch",
  );
  const [entries] = answer.value ?? [];
  const output = Array.isArray(entries) ? outputsOf(entries).get(frame.traceId) : undefined;
  if (output === undefined || output === "0x" || frame.isError === "1") return null;
  const values = outputs.length > 0 && decodedOr(outputs, output.slice(2));
  return html`<p class="soft">returned</p>${values ? html`<${Parameters} parameters=${values} />` : html`<${Data} hex=${output} label="Output of the call" />`}`;
}

const entryOf = (abi, input) =>
  abi.find((one) => one.type === "function" && selectorOf(one) === input.slice(0, SELECTOR_LENGTH));

function decodedOr(inputs, hex) {
  try {
    return decode(inputs, hex);
  } catch {
    return undefined;
  }
}

/** Returns the output of each call by its place in the tree. */
function outputsOf(entries) {
  const places = [];
  const outputs = new Map();
  for (const { depth, output } of entries) {
    if (depth > 0) places.splice(depth - 1, Infinity, (places[depth - 1] ?? -1) + 1);
    outputs.set(places.slice(0, depth).join("_"), output);
  }
  return outputs;
}

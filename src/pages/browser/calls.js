// Calls within a transaction, as a tree: each below the one that made it.

import { useState } from "preact/hooks";
import { actionV2 } from "./api.js";
import { cleaned, grouped } from "./format.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { AddressLink, Coins, Section, Waiting } from "./parts.js";

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
  return html`<${Section} id="internal" title="Internal calls">
    ${!answer.value ? html`<${Waiting} answer=${answer} what="internal calls" />` : html`<${Tree} frames=${answer.value} isTraced=${isTraced} />`}
  <//>`;
}

function Tree({ frames, isTraced }) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  if (frames.length === 0) {
    return html`<p class="empty">${isTraced === false ? "Internal transactions are not indexed here: the node offers no traces." : "It called no other contract."}</p>`;
  }
  return html`<div>
    <ol class="calls">
      ${frames.slice(0, shown).map((frame) => html`<${Frame} key=${frame.index} frame=${frame} />`)}
    </ol>
    ${frames.length > shown && html`<p><button type="button" class="copy" onClick=${() => setShown(shown + 1000)}>Show more of ${grouped(frames.length)}</button></p>`}
  </div>`;
}

/** The function that a call is for, by name where a verified ABI tells it. */
function calledBy({ functionName, input }) {
  const [name] = functionName.split("(");
  if (name) return cleaned(name);
  return input.length < SELECTOR_LENGTH ? "" : input.slice(0, SELECTOR_LENGTH);
}

function Frame({ frame }) {
  const depth = frame.traceId === "" ? 0 : frame.traceId.split("_").length;
  const isRolledBack = frame.isError === "1";
  const to = frame.contractAddress || frame.to;
  const called = frame.type === "call" ? calledBy(frame) : "";
  const what = html`
    <span class="kind">${frame.callType || frame.type}</span>${" "}
    <${AddressLink} address=${frame.from} /> <span aria-label="to">→</span>${" "}
    ${to ? html`<${AddressLink} address=${to} />` : html`<span class="soft">nothing that lasted</span>`}
    ${frame.value !== "0" && html` <${Coins} wei=${frame.value} />`}
    ${called && html` <code class="data">${called}</code>`}
  `;
  return html`<li style=${{ "--depth": Math.min(depth, DEEPEST_SHOWN) }} class=${isRolledBack ? "rolled-back" : undefined}>
    <span class="hidden">Depth ${depth}, </span>
    ${isRolledBack ? html`<s>${what}</s>` : what}
    ${isRolledBack && html` <span class="problem">${cleaned(frame.errCode, 200)}</span>`}
    <span class="soft gas">${grouped(frame.gasUsed)} gas</span>
  </li>`;
}

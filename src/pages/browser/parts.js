// Small components that every page uses.

import { useEffect, useRef, useState } from "preact/hooks";
import { ago, cleaned, dateOf, grouped, inUnits, shortHash, shortUnits } from "./format.js";
import { useNow } from "./hooks.js";
import { html } from "./html.js";
import { coinSymbol, pathTo } from "./surroundings.js";

const COIN_DECIMALS = 18;
/** Longer amounts may be broken, wherever they stand. */
const LONGEST_IN_LINE = 30;
const GWEI_DECIMALS = 9;

/** A name that somebody on the chain chose: isolated, so that it turns nothing around it. */
export function Name({ text, fallback = "no name" }) {
  const shown = cleaned(text ?? "");
  return shown.trim() === ""
    ? html`<span class="soft">${fallback}</span>`
    : html`<bdi class="name">${shown}</bdi>`;
}

export function AddressLink({ address, name, isWhole = false, part = "" }) {
  const text = isWhole ? address : shortHash(address);
  const href = pathTo("address", address) + part;
  if (!name) return html`<a class="hash" href=${href} title=${address}>${text}</a>`;
  return html`<a href=${href} title=${address}><${Name} text=${name} /></a>`;
}

export function TransactionLink({ hash }) {
  return html`<a class="hash" href=${pathTo("tx", hash)} title=${hash}>${shortHash(hash)}</a>`;
}

export function BlockLink({ number }) {
  return html`<a class="number" href=${pathTo("block", number)}>${grouped(number)}</a>`;
}

/** A token by its symbol, else by its name. */
export function TokenLink({ address, symbol, name }) {
  const href = pathTo("token", address);
  return html`<a href=${href} title=${address}><${Name} text=${symbol || name} fallback=${shortHash(address)} /></a>`;
}

/** An amount in units of ten to the power of `decimals`; the title is exact. */
export function Amount({ value, decimals, children }) {
  const shown = shortUnits(value, decimals);
  const kind = shown.length > LONGEST_IN_LINE ? "amount long" : "amount";
  return html`<span class=${kind} title=${inUnits(value, decimals)}>${shown}${children && html` ${children}`}</span>`;
}

export function Coins({ wei }) {
  return html`<${Amount} value=${wei} decimals=${COIN_DECIMALS}><bdi>${coinSymbol}</bdi><//>`;
}

export function Gwei({ wei }) {
  return html`<${Amount} value=${wei} decimals=${GWEI_DECIMALS}>Gwei<//>`;
}

/** How long ago, and when. */
export function Time({ seconds, isWhole = false }) {
  const now = useNow();
  const date = dateOf(seconds);
  const age = ago(Math.max(0, now / 1000 - seconds));
  const machine = new Date(seconds * 1000);
  const iso = Number.isNaN(machine.getTime()) ? undefined : machine.toISOString();
  return html`<time datetime=${iso} title=${isWhole ? age : date}>${isWhole ? `${date} (${age})` : age}</time>`;
}

export function Copy({ text, label = "Copy" }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await writeClipboard(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return html`<button type="button" class="copy" onClick=${copy}>
    <span aria-live="polite">${isDone ? "Copied" : label}</span>
  </button>`;
}

async function writeClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without HTTPS there is no other way.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return undefined;
}

/** A share of a whole as a bar; `percent` is 0 to 100. */
export function Bar({ percent, label }) {
  const width = `${Math.max(0, Math.min(100, percent))}%`;
  return html`<span class="bar" role="img" aria-label=${label}><span style=${{ width }}></span></span>`;
}

/** What is shown in the place of an answer that is not there. */
export function Waiting({ answer, what }) {
  if (answer.error) return html`<p class="problem" role="alert">${answer.error.message}</p>`;
  return html`<p class="waiting" role="status">Asking for ${what}…</p>`;
}

/** Names and values of one thing: `[name, value]`, those without a value left out. */
export function Facts({ facts }) {
  const shown = facts.filter((fact) => fact && fact[1] !== null && fact[1] !== undefined);
  return html`<dl class="facts">
    ${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** A part of a page with its heading. */
export function Section({ id, title, aside, children }) {
  const element = useRef(null);
  useEffect(() => {
    // It was not there yet when the browser looked for it.
    if (location.hash === `#${id}`) element.current.scrollIntoView();
  }, [id]);
  return html`<section ref=${element} id=${id} aria-labelledby=${`${id}-title`}>
    <div class="heading"><h2 id=${`${id}-title`}>${title}</h2>${aside}</div>
    ${children}
  </section>`;
}

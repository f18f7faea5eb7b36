// Small components that every page uses.

import { useEffect, useRef, useState } from "preact/hooks";
import {
  ago,
  cleaned,
  dateOf,
  dollarsOf,
  grouped,
  inUnits,
  shortHash,
  shortUnits,
  wholeUnits,
} from "../base/format.js";
import { useNow, usePrice } from "../base/hooks.js";
import { html } from "../base/html.js";
import { checksummed } from "../base/keccak.js";
import { Label, useLabel, useName } from "../base/names.js";
import { coinSymbol, hasPrice, pageKind, pathTo, subjectOfPage } from "../base/surroundings.js";

const COIN_DECIMALS = 18;
const GWEI_DECIMALS = 9;
/** Amounts of wei with no more digits are less than a millionth of a coin. */
const SMALL_DIGITS = 12;
/** Longer amounts may be broken, wherever they stand. */
const LONGEST_IN_LINE = 30;

/** A name that somebody on the chain chose: isolated, so that it turns nothing around it. */
export function Name({ text, fallback = "no name" }) {
  const shown = cleaned(text ?? "");
  return shown.trim() === ""
    ? html`<span class="soft">${fallback}</span>`
    : html`<bdi class="name">${shown}</bdi>`;
}

/** A picture of an address: the same one for the same digits. */
export function Identicon({ address, size = 16 }) {
  const digits = address.slice(2);
  const hue = Number.parseInt(digits.slice(0, 4), 16) % 360;
  let path = "";
  for (let cell = 0; cell < 15; cell++) {
    if (Number.parseInt(digits[cell + 4], 16) % 2 === 0) continue;
    const [x, y] = [cell % 3, Math.floor(cell / 3)];
    path += `M${x} ${y}h1v1h-1zM${4 - x} ${y}h1v1h-1z`;
  }
  return html`<svg class="identicon" width=${size} height=${size} viewBox="-1 -1 7 7" aria-hidden="true"><rect x="-1" y="-1" width="7" height="7" rx="1.5" fill=${`hsl(${hue} 55% 50% / .18)`} /><path d=${path} fill=${`hsl(${hue} 60% 48%)`} /></svg>`;
}

/**
 * An address by its checksum, with its label in front where the operator gave one, else by its name. The page's own is
 * no link. `isWhole` shows all digits and lets them be copied, `name` is false where the name stands beside it, `part` names the part of its page that a link leads to.
 */
export function Address({ address, name: given, isWhole = false, part = "" }) {
  const label = useLabel(address);
  const known = useName(address, Boolean(address && given !== false && !given && !label));
  if (!address) return null;
  const exact = checksummed(address);
  const name = label ? undefined : given || known;
  const isNamed = name && !isWhole;
  const text = isNamed ? html`<${Name} text=${name} />` : isWhole ? exact : shortHash(exact);
  const kind = isNamed ? "named" : "hash";
  const isOwn = pageKind === "address" && subjectOfPage === address && part === "";
  return html`<span class="address"><${Identicon} address=${address.toLowerCase()} />${label && html`<${Label} label=${label} /> `}${
    isOwn
      ? html`<span class=${kind} title=${exact}>${text}</span>`
      : html`<a class=${kind} href=${pathTo("address", address.toLowerCase()) + part} title=${exact}>${text}</a>`
  }${isWhole && html`<${Copy} text=${exact} label="Copy address" />`}${isWhole && name && html` <span class="badge"><${Name} text=${name} /></span>`}</span>`;
}

export function TransactionLink({ hash, children = shortHash(hash) }) {
  return html`<a class="hash" href=${pathTo("tx", hash)} title=${hash}>${children}</a>`;
}

export function BlockLink({ number }) {
  return html`<a class="number" href=${pathTo("block", number)}>${grouped(number)}</a>`;
}

/** A token by its symbol, else by its name. */
export function TokenLink({ address, symbol, name, query = "" }) {
  const href = pathTo("token", address) + query;
  return html`<a href=${href} title=${checksummed(address)}><${Name} text=${symbol || name} fallback=${shortHash(checksummed(address))} /></a>`;
}

/**
 * An amount in units of ten to the power of `decimals`: rounded with the exact one in the title, so that points stand below
 * each other, or with `isExact` every digit of it.
 */
export function Amount({ value, decimals, isExact = false, children }) {
  const unit = children && html` ${children}`;
  if (isExact) {
    const text = wholeUnits(value, decimals);
    return html`<span class=${text.length > LONGEST_IN_LINE ? "amount long" : "amount"}>${text}${unit}</span>`;
  }
  const [whole, fraction] = shortUnits(value, decimals);
  const kind = whole.length + fraction.length > LONGEST_IN_LINE ? "amount long" : "amount";
  return html`<span class=${kind} title=${inUnits(value, decimals)}>${whole}<span class="fraction">${fraction && `.${fraction}`}</span>${unit}</span>`;
}

/** Coins; in a list, small amounts in units that show them. */
export function Coins({ wei, isExact, hasUnit = true }) {
  if (!isExact && hasUnit && wei !== "0" && wei.length <= SMALL_DIGITS) {
    return wei.length <= GWEI_DECIMALS - 3
      ? html`<${Amount} value=${wei} decimals=${0}><span class="unit">wei</span><//>`
      : html`<${Gwei} wei=${wei} />`;
  }
  return html`<${Amount} value=${wei} decimals=${COIN_DECIMALS} isExact=${isExact}>${hasUnit && html`<bdi class="unit">${coinSymbol}</bdi>`}<//>${isExact && hasPrice && wei !== "0" && html` <${Dollars} wei=${wei} />`}`;
}

/** Shows an amount of the coin in dollars, at the current price. */
function Dollars({ wei }) {
  const price = usePrice();
  return (
    price &&
    html`<span class="soft dollars" title=${`At ${price} dollars`}>${dollarsOf(wei, price)}</span>`
  );
}

export function Gwei({ wei, isExact }) {
  return html`<${Amount} value=${wei} decimals=${GWEI_DECIMALS} isExact=${isExact}><span class="unit">Gwei</span><//>`;
}

/** How long ago, and when. */
export function Time({ seconds, isWhole = false }) {
  const now = useNow();
  const date = dateOf(seconds);
  const local = dateOf(seconds, null);
  const age = ago(Math.max(0, now / 1000 - seconds));
  const machine = new Date(seconds * 1000);
  const iso = Number.isNaN(machine.getTime()) ? undefined : machine.toISOString();
  return isWhole
    ? html`<time datetime=${iso} title=${local}>${date}</time> <span class="soft">${age}</span>`
    : html`<time datetime=${iso} title=${`${date}; ${local}`}>${age}</time>`;
}

const COPY = "M5 5V2h9v9h-3M2 5h9v9H2z";
const DONE = "M2 8l4 4 8-9";

export function Copy({ text, label = "Copy" }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await writeClipboard(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return html`<button type="button" class="copy" aria-label=${label} title=${label} onClick=${copy}>
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d=${isDone ? DONE : COPY} /></svg><span class="hidden" aria-live="polite">${isDone && "Copied"}</span>
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
  return html`<dl class="card facts">
    ${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** The heading of a page about one thing, with what identifies it. */
export function Title({ children, id, idOf = "address" }) {
  return html`<div class="title">
    ${idOf === "address" && html`<${Identicon} address=${id} size=${36} />`}
    <div><h1>${children}</h1>
    <p class="subject"><code class="hash">${checksummed(id)}</code> <${Copy} text=${checksummed(id)} label=${`Copy ${idOf}`} /></p></div>
  </div>`;
}

/** A part of a page with its heading; `empty` says in a line why there is nothing in it. */
export function Section({ id, title, aside, empty, children }) {
  const element = useRef(null);
  useEffect(() => {
    // It was not there yet when the browser looked for it.
    if (location.hash === `#${id}`) element.current.scrollIntoView();
  }, [id]);
  return html`<section ref=${element} id=${id} class=${empty && "folded"} aria-labelledby=${`${id}-title`}>
    <div class="heading"><h2 id=${`${id}-title`}>${title}</h2>${empty ? html`<span class="empty">${empty}</span>` : aside}</div>
    ${!empty && children}
  </section>`;
}

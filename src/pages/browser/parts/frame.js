// What is around every page: the way to the others, the search, where the chain is, and the page as API requests.

import { render } from "preact";
import { useEffect } from "preact/hooks";
import { curlOf, requestsMade, trouble } from "../base/api.js";
import { cleaned, grouped } from "../base/format.js";
import { followHeads, head } from "../base/heads.js";
import { useNow } from "../base/hooks.js";
import { html } from "../base/html.js";
import { at, chainId, chains, networkName, pathTo } from "../base/surroundings.js";
import { Copy } from "./parts.js";
import { SearchBox } from "./suggestions.js";

const PAGES = [
  ["Blocks", "blocks"],
  ["Transactions", "txs"],
  ["Accounts", "accounts"],
  ["Tokens", "tokens"],
  ["Contracts", "contracts"],
  ["API", "docs"],
];

/** Draws a page within the frame. */
export function show(Page) {
  render(html`<${Frame}><${Page} /><//>`, document.getElementById("app"));
}

function Frame({ children }) {
  useEffect(followHeads, []);
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <header>
      <a class="brand" href=${at("./")}>
        <img src=${document.querySelector("link[rel=icon]").href} alt="" width="26" height="26" />
        <span>Periscope <bdi class="network">${cleaned(networkName, 40)}</bdi></span>
      </a>
      <nav aria-label="Pages">
        ${PAGES.map(([title, path]) => html`<a href=${at(path)} aria-current=${at(path) === location.href.split(/[?#]/)[0] ? "page" : undefined}>${title}</a>`)}
      </nav>
      <${SearchBox} />
      <${Live} />
      <${Chains} />
    </header>
    <main id="main" tabindex="-1">${children}</main>
    <footer><${Requests} /></footer>
  `;
}

/** Without a change of the part that the address bar names. */
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

/** The head that the page is true for, or why it does not follow the chain. */
function Live() {
  const { number } = head.use();
  const problem = trouble.use();
  const now = useNow(1_000);
  if (problem) {
    const seconds = Math.max(0, Math.ceil((problem.until - now) / 1000));
    const text =
      problem.until > 0
        ? `${problem.text}: this page follows again in ${seconds} s`
        : `${problem.text}: this page may be out of date`;
    return html`<p class="live" role="status" data-state="bad">${text}</p>`;
  }
  if (number === null) return null;
  return html`<p class="live" data-state="good"><a href=${pathTo("block", number)} title="The head: this page follows it">${grouped(number)}</a></p>`;
}

/** The way to the same server's other chains. */
function Chains() {
  if (chains.length === 0) return null;
  return html`<details class="menu">
    <summary>Chain ${chainId}</summary>
    <nav aria-label="Chains">
      ${chains.map(([id, name]) => html`<a href=${at(`../${id}/`)} aria-current=${id === chainId ? "true" : undefined}><bdi>${cleaned(name, 40)}</bdi></a> `)}
    </nav>
  </details>`;
}

/** Every figure of the page can be asked for. */
function Requests() {
  const requests = [...requestsMade.use()];
  if (requests.length === 0) return null;
  return html`<details class="requests">
    <summary>This page as API requests</summary>
    <ul>
      ${requests.map(
        ([key, request]) => html`<li key=${key}>
          <div><span>${request.title}</span> <${Copy} text=${curlOf(request)} /></div>
          <pre tabindex="0"><code>${curlOf(request)}</code></pre>
        </li>`,
      )}
    </ul>
  </details>`;
}

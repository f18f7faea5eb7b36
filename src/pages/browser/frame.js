// What is around every page: the way to the others, the search, and the page as API requests.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { curlOf, keyOf, onRequest, requestsMade } from "./api.js";
import { cleaned } from "./format.js";
import { html } from "./html.js";
import { Copy } from "./parts.js";
import { at, chainId, chains, networkName, subjectOfPage } from "./surroundings.js";

const PAGES = [
  ["Blocks", "blocks"],
  ["Transactions", "txs"],
  ["Contracts", "contracts"],
  ["API", "docs"],
];

/** Draws a page within the frame. */
export function show(Page) {
  const isSearch = document.documentElement.dataset.page === "search";
  render(
    html`<${Frame} sought=${isSearch ? subjectOfPage : ""}><${Page} /><//>`,
    document.getElementById("app"),
  );
}

function Frame({ sought, children }) {
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <header>
      <a class="brand" href=${at("./")}>
        <img src=${iconUrl()} alt="" width="28" height="28" />
        <span>Periscope <bdi class="network">${cleaned(networkName, 40)}</bdi></span>
      </a>
      <nav aria-label="Pages">
        ${PAGES.map(([title, path]) => html`<a href=${at(path)} aria-current=${at(path) === location.href.split(/[?#]/)[0] ? "page" : undefined}>${title}</a>`)}
      </nav>
      <form role="search" action=${at("search")} method="get">
        <input
          type="search"
          name="q"
          aria-label="Transaction, address, block or name"
          placeholder="Hash, address, block, name"
          value=${sought}
          autocomplete="off"
          autocapitalize="off"
          spellcheck=${false}
        />
        <button type="submit">Search</button>
      </form>
    </header>
    <main id="main" tabindex="-1">${children}</main>
    <footer><${Chains} /><${Requests} /></footer>
  `;
}

/** Without a change of the part that the address bar names. */
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

/** The way to the same server's other chains. */
function Chains() {
  if (chains.length === 0) return null;
  return html`<nav aria-label="Chains">
    ${chains.map(([id, name]) => html`<a href=${at(`../${id}/`)} aria-current=${id === chainId ? "true" : undefined}><bdi>${cleaned(name, 40)}</bdi></a> `)}
  </nav>`;
}

function iconUrl() {
  return document.querySelector("link[rel=icon]").href;
}

/** Every figure of the page can be asked for. */
function Requests() {
  const [requests, setRequests] = useState(requestsMade);
  useEffect(() => {
    const update = () => setRequests(requestsMade());
    update();
    return onRequest(update);
  }, []);
  if (requests.length === 0) return null;
  return html`<details class="requests">
    <summary>This page as API requests</summary>
    <ul>
      ${requests.map(
        (request) => html`<li key=${keyOf(request)}>
          <div><span>${request.title}</span> <${Copy} text=${curlOf(request)} /></div>
          <pre tabindex="0"><code>${curlOf(request)}</code></pre>
        </li>`,
      )}
    </ul>
  </details>`;
}

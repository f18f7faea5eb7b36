// The search, where its text means nothing that the index knows.

import { show } from "./frame.js";
import { html } from "./html.js";
import { subjectOfPage } from "./surroundings.js";

function Search() {
  return html`
    <h1>Search</h1>
    ${
      subjectOfPage === ""
        ? html`<p>Give the hash of a transaction or of a block, the number of a block, or an address.</p>`
        : html`<p role="status">Nothing was found for <bdi class="data">${subjectOfPage}</bdi>. Give the whole hash of a transaction or of a block, the number of a block, or a whole address.</p>`
    }
  `;
}

show(Search);

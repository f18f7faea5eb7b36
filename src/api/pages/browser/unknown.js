// What is shown of what there is not.

import { show } from "./frame.js";
import { html } from "./html.js";
import { at, subjectOfPage } from "./surroundings.js";

function Unknown() {
  return html`
    <h1>Nothing here</h1>
    <p>This server knows no <code class="data">${subjectOfPage}</code>. It may be of another chain, newer than the newest block here, or never have been mined.</p>
    <p><a href=${at("./")}>To the newest blocks</a></p>
  `;
}

show(Unknown);

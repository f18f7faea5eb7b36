// What is shown of what there is not, or not yet.

import { useEffect } from "preact/hooks";
import { action, ask } from "./api.js";
import { show } from "./frame.js";
import { useHead } from "./heads.js";
import { html } from "./html.js";
import { at, subjectOfPage } from "./surroundings.js";

/** Wallets link to a transaction as soon as it is sent. */
const TRANSACTION = /^tx (0x[0-9a-f]{64})$/;

function Unknown() {
  const [, hash] = TRANSACTION.exec(subjectOfPage) ?? [];
  return html`
    <h1>Nothing here</h1>
    <p>This server knows no <code class="data">${subjectOfPage}</code>. It may be of another chain, newer than the newest block here, or never have been mined.</p>
    ${hash && html`<${Awaited} hash=${hash} />`}
    <p><a href=${at("./")}>To the newest blocks</a></p>
  `;
}

/** Shows the transaction once it is mined. */
function Awaited({ hash }) {
  const head = useHead();
  useEffect(() => {
    if (head === null) return;
    ask(action("The transaction", "transaction", "gettxinfo", { txhash: hash })).then(
      () => location.reload(),
      () => {
        // The next block may have it.
      },
    );
  }, [head]);
  return html`<p role="status">If it was sent just now: this page shows it as soon as it is mined.</p>`;
}

show(Unknown);

// What is shown of what there is not, or not yet.

import { useEffect } from "preact/hooks";
import { action } from "./base/api.js";
import { useAnswer } from "./base/hooks.js";
import { html } from "./base/html.js";
import { at, subjectOfPage } from "./base/surroundings.js";
import { show } from "./parts/frame.js";
import { Title } from "./parts/parts.js";
import { Unmined } from "./transaction/pending.js";

/** Wallets link to a transaction as soon as it is sent. */
const TRANSACTION = /^tx (0x[0-9a-f]{64})$/;

function Unknown() {
  const [, hash] = TRANSACTION.exec(subjectOfPage) ?? [];
  return html`
    ${
      hash
        ? html`<${Title} id=${hash} idOf="hash">Transaction<//><${Awaited} hash=${hash} />`
        : html`<h1>Nothing here</h1>
          <p>This server knows no <code class="data">${subjectOfPage}</code>. It may be of another chain, newer than the newest block here, or never have been mined.</p>`
    }
    <p><a href=${at("./")}>To the newest blocks</a></p>
  `;
}

/** Shows the transaction once it waits or is mined. */
function Awaited({ hash }) {
  const { value } = useAnswer(
    action("The transaction", "transaction", "gettxinfo", { txhash: hash, details: "true" }),
  );
  useEffect(() => {
    if (value) location.reload();
  }, [value]);
  return html`<${Unmined} hash=${hash} />`;
}

show(Unknown);

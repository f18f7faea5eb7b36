// The page of all accounts.

import { action } from "./api.js";
import { show } from "./frame.js";
import { html } from "./html.js";
import { Address, Coins } from "./parts.js";
import { List } from "./table.js";

function Accounts() {
  return html`
    <h1>Accounts</h1>
    <p class="soft">In the order in which the chain first saw them.</p>
    <${List}
      what="accounts"
      file="accounts.csv"
      request=${(paging) => action("Accounts, the oldest first", "account", "listaccounts", paging)}
      columns=${[
        ["Address", ({ address }) => html`<${Address} address=${address} isWhole />`, "second"],
        ["Balance", ({ balance }) => html`<${Coins} wei=${balance} />`, "number first"],
      ]}
    />
  `;
}

show(Accounts);

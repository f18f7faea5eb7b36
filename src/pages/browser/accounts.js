// The page of all accounts.

import { action } from "./base/api.js";
import { html } from "./base/html.js";
import { show } from "./parts/frame.js";
import { Address, Coins } from "./parts/parts.js";
import { List } from "./parts/table.js";

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

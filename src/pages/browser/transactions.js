// The page of all transactions, or with `?block=` of those of one block.

import { actionV2 } from "./base/api.js";
import { html } from "./base/html.js";
import { show } from "./parts/frame.js";
import { transactionColumns } from "./parts/records.js";
import { List } from "./parts/table.js";

const block = new URLSearchParams(location.search).get("block") ?? "";
const ofBlock = /^\d+$/.test(block) ? { startblock: block, endblock: block } : {};

function Transactions() {
  return html`
    <h1>Transactions${ofBlock.startblock && ` of block ${block}`}</h1>
    <${List}
      what="transactions"
      file="transactions.csv"
      request=${(paging) => actionV2("Transactions, the newest first", "transaction", "listtransactions", { ...ofBlock, ...paging })}
      columns=${transactionColumns}
    />
  `;
}

show(Transactions);

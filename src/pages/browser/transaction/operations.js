import { action } from "../base/api.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { operationColumns } from "../parts/records.js";
import { List } from "../parts/table.js";

function operationsOf(hash, paging = { page: 1, offset: 25 }) {
  return action("Its user operations", "transaction", "listuserops", { txhash: hash, ...paging });
}

/** Shows the user operations (ERC-4337) of a transaction that has some. */
export function Operations({ hash }) {
  const first = useAnswer(operationsOf(hash), "branch");
  if (!first.value?.length) return null;
  return html`<${List}
    id="operations"
    title="User operations"
    what="user operations"
    parameter="operations"
    request=${(paging) => operationsOf(hash, paging)}
    columns=${operationColumns}
  />`;
}

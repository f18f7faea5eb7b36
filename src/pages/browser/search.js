// The search, where its text is no hash, number or address that the index knows: contracts by their names.

import { action } from "./base/api.js";
import { html } from "./base/html.js";
import { subjectOfPage } from "./base/surroundings.js";
import { show } from "./parts/frame.js";
import { Address, Name, TokenLink } from "./parts/parts.js";
import { List } from "./parts/table.js";

const WAYS =
  "the hash of a transaction or of a block, the number of a block, an address, or the beginning of a token\u2019s or contract\u2019s name";

function Search() {
  if (subjectOfPage === "") return html`<h1>Search</h1><p>Give ${WAYS}.</p>`;
  return html`
    <h1>Search</h1>
    <p>Labels, tokens and verified contracts by the name <bdi class="data">${subjectOfPage}</bdi>. Anybody may choose any name: the address says which one it is.</p>
    <${List}
      what="contracts of this name"
      request=${(paging) => action("Contracts by name", "contract", "listbyname", { name: subjectOfPage, ...paging })}
      columns=${[
        ["Name", (row) => html`<${Found} row=${row} />`, "first"],
        [
          "Symbol",
          ({ tokenSymbol }) => tokenSymbol && html`<${Name} text=${tokenSymbol} />`,
          "first",
        ],
        [
          "Kind",
          ({ type, contractName }) => type || (contractName ? "contract" : "address"),
          "first end",
        ],
        [
          "Source",
          ({ contractName }) => contractName && html`<span class="status good">Verified</span>`,
        ],
        [
          "Address",
          ({ address }) => html`<${Address} address=${address} name=${false} isWhole />`,
          "second",
        ],
      ]}
    />
    <p class="soft">A search takes ${WAYS}.</p>
  `;
}

function Found({ row: { address, type, tokenName, contractName } }) {
  return type === ""
    ? html`<${Address} address=${address} name=${contractName} part=${contractName && "#code"} />`
    : html`<${TokenLink} address=${address} name=${tokenName} />`;
}

show(Search);

// The page of all tokens.

import { action } from "./base/api.js";
import { grouped } from "./base/format.js";
import { html } from "./base/html.js";
import { show } from "./parts/frame.js";
import { Address, BlockLink, Name, TokenLink } from "./parts/parts.js";
import { List } from "./parts/table.js";

function Tokens() {
  return html`
    <h1>Tokens</h1>
    <${List}
      what="tokens"
      file="tokens.csv"
      request=${(paging) => action("Tokens, the newest first", "token", "listtokens", paging)}
      columns=${[
        [
          "Token",
          ({ address, tokenName, tokenSymbol }) =>
            html`<${TokenLink} address=${address} name=${tokenName} symbol=${!tokenName && tokenSymbol} />`,
          "first",
        ],
        [
          "Symbol",
          ({ tokenSymbol }) => tokenSymbol && html`<${Name} text=${tokenSymbol} />`,
          "first",
        ],
        ["Standard", ({ type }) => type, "first end"],
        ["Holders", ({ holdersCount }) => grouped(holdersCount), "number second end label"],
        [
          "Contract",
          ({ address }) => html`<${Address} address=${address} name=${false} isWhole />`,
          "second",
        ],
        ["Since block", ({ firstBlock }) => html`<${BlockLink} number=${firstBlock} />`, "number"],
      ]}
    />
  `;
}

show(Tokens);

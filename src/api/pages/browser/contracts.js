// The page of all contracts.

import { action } from "./api.js";
import { cleaned } from "./format.js";
import { show } from "./frame.js";
import { usePart } from "./hooks.js";
import { html } from "./html.js";
import { AddressLink } from "./parts.js";
import { List } from "./table.js";
import { Tabs } from "./tabs.js";

const KINDS = [
  ["verified", "Verified"],
  ["unverified", "Not verified"],
];

function Contracts() {
  const kind = usePart("verified");
  return html`
    <h1>Contracts</h1>
    <${Tabs} label="Kinds of contracts" tabs=${KINDS} current=${kind} />
    <${List}
      key=${kind}
      what=${kind === "verified" ? "verified contracts" : "contracts"}
      request=${(paging) => action("Contracts", "contract", "listcontracts", { filter: kind === "verified" ? "verified" : "unverified", ...paging })}
      columns=${[
        [
          "Contract",
          ({ Address, ContractName }) =>
            html`<${AddressLink} address=${Address} name=${ContractName} part="#code" />`,
        ],
        ["Address", ({ Address }) => html`<${AddressLink} address=${Address} isWhole />`],
        [
          "Compiler",
          ({ CompilerVersion }) =>
            CompilerVersion && html`<code>${cleaned(CompilerVersion)}</code>`,
        ],
        [
          "Optimised",
          ({ OptimizationUsed }) => OptimizationUsed && (OptimizationUsed === "1" ? "yes" : "no"),
        ],
      ]}
    />
  `;
}

show(Contracts);

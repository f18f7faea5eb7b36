// The page of all contracts.

import { action } from "./base/api.js";
import { cleaned } from "./base/format.js";
import { usePart } from "./base/hooks.js";
import { html } from "./base/html.js";
import { pathTo } from "./base/surroundings.js";
import { show } from "./parts/frame.js";
import { Address, Name } from "./parts/parts.js";
import { List } from "./parts/table.js";
import { Tabs } from "./parts/tabs.js";

const KINDS = [
  ["verified", "Verified"],
  ["unverified", "Not verified"],
];
const NAMES = KINDS.map(([name]) => name);
const addressColumn = (name) => [
  "Address",
  ({ Address: address }) =>
    html`<${Address} address=${address} name=${name} isWhole part="#code" />`,
  "second",
];
const SOURCE = [
  [
    "Contract",
    ({ Address: address, ContractName }) =>
      html`<a href=${`${pathTo("address", address)}#code`}><${Name} text=${ContractName} /></a>`,
    "first",
  ],
  addressColumn(false),
  [
    "Compiler",
    ({ CompilerVersion }) => html`<code>${cleaned(CompilerVersion)}</code>`,
    "first end",
  ],
  ["Optimised", ({ OptimizationUsed }) => (OptimizationUsed === "1" ? "yes" : "no")],
];

function Contracts() {
  const kind = usePart("verified", NAMES);
  const isVerified = kind === "verified";
  return html`
    <h1>Contracts</h1>
    <${Tabs} label="Kinds of contracts" tabs=${KINDS} current=${kind} />
    <${List}
      key=${kind}
      what=${isVerified ? "verified contracts" : "contracts"}
      request=${(paging) => action("Contracts", "contract", "listcontracts", { filter: kind, ...paging })}
      columns=${isVerified ? SOURCE : [addressColumn()]}
    />
  `;
}

show(Contracts);

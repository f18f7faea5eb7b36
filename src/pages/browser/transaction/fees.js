// What a transaction cost its sender, in parts where the chain has several, and the fields that only some chains have.

import { html } from "../base/html.js";
import { Data } from "../parts/hexdata.js";
import { Address, Coins, Facts, Section } from "../parts/parts.js";
import { Table } from "../parts/table.js";

const MILLION = 1_000_000n;
const HUNDRED = 100n;
/** Hex quantities among the fields of chains that are amounts of wei. */
const AMOUNTS = new Set(["mint", "l1GasPrice", "l1BlobBaseFee"]);

/** The parts of a fee, `[name, wei]`; wei is null where the part applies and its size is not known. */
export function partsOfFee({ gasUsed, gasPrice, details }) {
  const { L1FeesPaid, chainFields = {} } = details;
  return [
    ["gas", String(BigInt(gasUsed) * BigInt(gasPrice))],
    L1FeesPaid !== undefined && L1FeesPaid !== "0" && ["L1 data", L1FeesPaid || null],
    operatorFee(gasUsed, chainFields),
  ].filter(Boolean);
}

/** OP stack: by millionths of the gas, since the Jovian fork (whose receipts have a footprint) by hundreds of wei. */
function operatorFee(gasUsed, fields) {
  const { operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar, depositNonce } = fields;
  if (operatorFeeScalar === undefined && operatorFeeConstant === undefined) return null;
  if (depositNonce !== undefined) return null;
  const variable = BigInt(gasUsed) * BigInt(operatorFeeScalar ?? 0);
  const scaled = daFootprintGasScalar === undefined ? variable / MILLION : variable * HUNDRED;
  const fee = scaled + BigInt(operatorFeeConstant ?? 0);
  return fee === 0n ? null : ["operator", String(fee)];
}

export function Fee({ transaction }) {
  const parts = partsOfFee(transaction);
  const isWhole = parts.every(([, wei]) => wei !== null);
  const sum = parts.reduce((total, [, wei]) => total + BigInt(wei ?? 0), 0n);
  return html`${isWhole ? html`<${Coins} wei=${String(sum)} isExact />` : html`<span class="soft">not known yet</span>`}
    ${
      parts.length > 1 &&
      html`<ul class="parts">${parts.map(([name, wei]) => html`<li key=${name}><span class="soft">${name}</span> ${wei === null ? "still being read" : html`<${Coins} wei=${wei} isExact />`}</li>`)}</ul>`
    }`;
}

/** Fields of the transaction and its receipt that only some chains have, by the node's names. */
export function ChainFields({ fields }) {
  const { calls, ...others } = fields;
  return html`<${Section} id="chain" title="Fields of this chain">
    ${Object.keys(others).length > 0 && html`<${Facts} facts=${Object.entries(others).map(([name, value]) => [name, html`<${Field} name=${name} value=${value} />`])} />`}
    ${Array.isArray(calls) && html`<${Calls} calls=${calls} />`}
  <//>`;
}

function Field({ name, value }) {
  if (typeof value !== "string") return html`<code class="data">${JSON.stringify(value)}</code>`;
  if (/^0x[0-9a-f]{40}$/i.test(value)) return html`<${Address} address=${value} isWhole />`;
  if (!/^0x[0-9a-f]{1,32}$/i.test(value)) return html`<code class="data">${value}</code>`;
  return AMOUNTS.has(name)
    ? html`<${Coins} wei=${String(BigInt(value))} isExact />`
    : html`<span class="number">${String(BigInt(value))}</span>`;
}

/** The calls that a batch transaction makes. */
function Calls({ calls }) {
  return html`<div class="list"><${Table}
    caption="Calls of the batch"
    rows=${calls.slice(0, 200)}
    columns=${[
      ["#", (_call, index) => index, "number"],
      [
        "To",
        ({ to }) => (to ? html`<${Address} address=${to} isWhole />` : "a new contract"),
        "first",
      ],
      [
        "Value",
        ({ value }) => html`<${Coins} wei=${String(BigInt(value ?? 0))} isExact />`,
        "number first end",
      ],
      [
        "Input",
        ({ input, data }) =>
          html`<${Data} hex=${input ?? data ?? "0x"} label="Input of the call" />`,
        "second",
      ],
    ]}
  /></div>`;
}

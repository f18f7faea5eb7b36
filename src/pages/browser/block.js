// The page of a block.

import { action, actionV2 } from "./api.js";
import { Chart } from "./chart.js";
import { grouped, inUnits, percent } from "./format.js";
import { show } from "./frame.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import {
  AddressLink,
  Amount,
  Bar,
  BlockLink,
  Coins,
  Copy,
  Facts,
  Gwei,
  Section,
  Time,
  Waiting,
} from "./parts.js";
import { blockTransactionColumns } from "./records.js";
import { pathTo, subjectOfPage } from "./surroundings.js";
import { List, Table } from "./table.js";

const BEFORE = 50;
const GWEI_DECIMALS = 9;

function Block() {
  const answer = useAnswer(action("The block", "block", "getblock", { block: subjectOfPage }));
  const block = answer.value;
  if (!block) return html`<h1>Block</h1><${Waiting} answer=${answer} what="the block" />`;
  return html`
    <h1>Block ${grouped(block.blockNumber)}</h1>
    <p class="subject"><code class="hash">${block.blockHash}</code> <${Copy} text=${block.blockHash} label="Copy hash" /></p>
    <${Overview} block=${block} />
    <${Fees} block=${block} />
    <${Section} id="transactions" title="Transactions" aside=${html`<span class="soft">${grouped(block.txsCount)}</span>`}>
      <${List}
        what="transactions"
        file=${`block-${block.blockNumber}.csv`}
        request=${(paging) =>
          actionV2("Its transactions", "transaction", "listtransactions", {
            startblock: block.blockNumber,
            endblock: block.blockNumber,
            sort: "asc",
            ...paging,
          })}
        columns=${blockTransactionColumns}
      />
    <//>
    ${block.withdrawals.length > 0 && html`<${Withdrawals} withdrawals=${block.withdrawals} />`}
    ${block.uncles.length > 0 && html`<${Uncles} uncles=${block.uncles} />`}
  `;
}

function Overview({ block }) {
  const used = percent(block.gasUsed, block.gasLimit);
  const number = BigInt(block.blockNumber);
  return html`<div class="card">
    <${Facts} facts=${[
      [
        "Neighbours",
        html`${number > 0n && html`<a href=${pathTo("block", String(number - 1n))} rel="prev">Previous</a>`} ${block.confirmations !== "0" && html`<a href=${pathTo("block", String(number + 1n))} rel="next">Next</a>`} <span class="soft">${grouped(block.confirmations)} confirmations</span>`,
      ],
      ["Time", html`<${Time} seconds=${Number(block.timeStamp)} isWhole />`],
      ["Fee recipient", html`<${AddressLink} address=${block.miner} isWhole />`],
      [
        "Gas",
        html`${grouped(block.gasUsed)} of ${grouped(block.gasLimit)} <${Bar} percent=${used} label=${`${used} % of the gas limit`} /> <span class="soft nowrap">${used} %</span>`,
      ],
      block.baseFeePerGas !== "" && ["Base fee", html`<${Gwei} wei=${block.baseFeePerGas} />`],
      [
        "Fees",
        html`<${Coins} wei=${block.fees} /> <span class="soft">of which burnt <${Coins} wei=${block.burntFees} /></span>`,
      ],
      ["Size", `${grouped(block.size)} bytes`],
      block.difficulty !== "0" && ["Difficulty", grouped(block.difficulty)],
      [
        "Parent",
        html`<a class="hash" href=${pathTo("block", block.parentHash)}>${block.parentHash}</a>`,
      ],
    ].filter(Boolean)} />
  </div>`;
}

/** How full this block and those before it were, and what gas cost. */
function Fees({ block }) {
  const answer = useAnswer(
    action("The blocks before it", "block", "listblocks", {
      endblock: block.blockNumber,
      offset: BEFORE,
    }),
  );
  if (!answer.value) return null;
  const blocks = answer.value.toReversed();
  if (blocks.length < 2) return null;
  const fees = blocks.map(({ baseFeePerGas }) =>
    baseFeePerGas === "" ? null : Number(inUnits(baseFeePerGas, GWEI_DECIMALS)),
  );
  const hasFees = fees.some((fee) => fee !== null);
  return html`<${Section} id="fees" title="Gas and fees" aside=${html`<span class="soft">of this block and the ${blocks.length - 1} before it</span>`}>
    <figure class="card">
      <${Chart}
        label=${`Gas used in percent of the limit${hasFees ? " and base fee in Gwei" : ""}, blocks ${blocks[0].blockNumber} to ${block.blockNumber}`}
        places=${blocks.map(({ blockNumber }) => Number(blockNumber))}
        lines=${[
          {
            values: blocks.map(({ gasUsed, gasLimit }) => percent(gasUsed, gasLimit)),
            colour: "accent",
            isBars: true,
          },
          ...(hasFees ? [{ values: fees, colour: "wait", scale: "fee" }] : []),
        ]}
        format=${{ y: (value) => `${Number(value.toPrecision(3))} %`, fee: (value) => String(Number(value.toPrecision(3))) }}
        formatPlace=${grouped}
      />
      <figcaption class="soft"><span class="key accent"></span> Gas used, percent of the limit ${hasFees && html`<span class="key wait"></span> Base fee, Gwei`}</figcaption>
    </figure>
  <//>`;
}

function Withdrawals({ withdrawals }) {
  return html`<${Section} id="withdrawals" title="Withdrawals">
    <div class="list"><${Table}
      caption="Withdrawals"
      rows=${withdrawals}
      columns=${[
        ["Index", ({ withdrawalIndex }) => grouped(withdrawalIndex)],
        ["Validator", ({ validatorIndex }) => grouped(validatorIndex)],
        ["To", ({ address }) => html`<${AddressLink} address=${address} />`],
        [
          "Amount",
          ({ amount }) => html`<${Amount} value=${amount} decimals=${GWEI_DECIMALS} />`,
          "number",
        ],
      ]}
    /></div>
  <//>`;
}

function Uncles({ uncles }) {
  return html`<${Section} id="uncles" title="Uncles">
    <div class="list"><${Table}
      caption="Uncles"
      rows=${uncles}
      columns=${[
        ["Number", ({ blockNumber }) => html`<${BlockLink} number=${blockNumber} />`],
        ["Age", ({ timeStamp }) => html`<${Time} seconds=${Number(timeStamp)} />`],
        ["Producer", ({ miner }) => html`<${AddressLink} address=${miner} />`],
      ]}
    /></div>
  <//>`;
}

show(Block);

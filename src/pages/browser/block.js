// The page of a block.

import { action, actionV2 } from "./base/api.js";
import { grouped, inUnits, percent } from "./base/format.js";
import { useAnswer } from "./base/hooks.js";
import { html } from "./base/html.js";
import { pathTo, subjectOfPage } from "./base/surroundings.js";
import { Chart } from "./parts/chart.js";
import { show } from "./parts/frame.js";
import { Address, Bar, Coins, Facts, Gwei, Section, Time, Title, Waiting } from "./parts/parts.js";
import { blockTransactionColumns, blockWithdrawalColumns, uncleColumns } from "./parts/records.js";
import { List, Table } from "./parts/table.js";

const BEFORE = 50;
const GWEI_DECIMALS = 9;
/** Fees of no more digits are drawn in wei. */
const SMALL_DIGITS = 6;

function Block() {
  const answer = useAnswer(action("The block", "block", "getblock", { block: subjectOfPage }));
  const block = answer.value;
  if (!block) return html`<h1>Block</h1><${Waiting} answer=${answer} what="the block" />`;
  return html`
    <${Title} id=${block.blockHash} idOf="hash">Block ${grouped(block.blockNumber)}<//>
    <${Overview} block=${block} />
    <${Fees} block=${block} />
    <${List}
      id="transactions"
      title="Transactions"
      aside=${html`<span class="soft">${grouped(block.txsCount)}</span>`}
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
    <${Rows} id="withdrawals" title="Withdrawals" rows=${block.withdrawals} columns=${blockWithdrawalColumns} />
    <${Rows} id="uncles" title="Uncles" rows=${block.uncles} columns=${uncleColumns} />
  `;
}

/** A table of the block's own, where it has any rows. */
function Rows({ id, title, rows, columns }) {
  if (rows.length === 0) return null;
  return html`<${Section} id=${id} title=${title} aside=${html`<span class="soft">${grouped(rows.length)}</span>`}>
    <div class="list"><${Table} caption=${title} rows=${rows} columns=${columns} /></div>
  <//>`;
}

function Overview({ block }) {
  const used = percent(block.gasUsed, block.gasLimit);
  const number = BigInt(block.blockNumber);
  return html`<${Facts} facts=${[
    [
      "Neighbours",
      html`<span class="links">${number > 0n && html`<a href=${pathTo("block", String(number - 1n))} rel="prev">Previous</a>`} ${block.confirmations !== "0" && html`<a href=${pathTo("block", String(number + 1n))} rel="next">Next</a>`} <span class="soft">${grouped(block.confirmations)} confirmations</span></span>`,
    ],
    ["Time", html`<${Time} seconds=${Number(block.timeStamp)} isWhole />`],
    ["Fee recipient", html`<${Address} address=${block.miner} isWhole />`],
    [
      "Gas",
      html`${grouped(block.gasUsed)} <span class="soft">of ${grouped(block.gasLimit)}</span> <${Bar} percent=${used} label=${`${used} % of the gas limit`} /> <span class="soft nowrap">${used} %</span>`,
    ],
    block.baseFeePerGas !== "" && [
      "Base fee",
      html`<${Gwei} wei=${block.baseFeePerGas} isExact />`,
    ],
    [
      "Fees",
      html`<${Coins} wei=${block.fees} isExact /> <span class="soft">of which burnt <${Coins} wei=${block.burntFees} isExact /></span>`,
    ],
    block.L1FeesPaid !== undefined && [
      "L1 fees",
      block.L1FeesPaid === ""
        ? "still being read"
        : html`<${Coins} wei=${block.L1FeesPaid} isExact /> <span class="soft">for the data of its transactions on L1</span>`,
    ],
    ["Size", `${grouped(block.size)} bytes`],
    block.difficulty !== "0" && ["Difficulty", grouped(block.difficulty)],
    [
      "Parent",
      html`<a class="hash" href=${pathTo("block", block.parentHash)}>${block.parentHash}</a>`,
    ],
  ]} />`;
}

/** How full this block and those before it were, and what gas cost. */
function Fees({ block }) {
  const answer = useAnswer(
    action("The blocks before it", "block", "listblocks", {
      endblock: block.blockNumber,
      offset: BEFORE,
    }),
    "branch",
  );
  const blocks = [...(answer.value ?? [])].reverse();
  if (blocks.length < 2) return null;
  const isSmall = blocks.every(({ baseFeePerGas }) => baseFeePerGas.length <= SMALL_DIGITS);
  const unit = isSmall ? "wei" : "Gwei";
  const fees = blocks.map(({ baseFeePerGas }) =>
    baseFeePerGas === "" ? null : Number(inUnits(baseFeePerGas, isSmall ? 0 : GWEI_DECIMALS)),
  );
  const hasFees = fees.some((fee) => fee !== null);
  return html`<${Section} id="fees" title="Gas and fees" aside=${html`<span class="soft">this block and the ${blocks.length - 1} before it</span>`}>
    <figure class="card">
      <${Chart}
        label=${`Gas used in percent of the limit${hasFees ? ` and base fee in ${unit}` : ""}, blocks ${blocks[0].blockNumber} to ${block.blockNumber}`}
        places=${blocks.map(({ blockNumber }) => Number(blockNumber))}
        lines=${[
          {
            values: blocks.map(({ gasUsed, gasLimit }) => percent(gasUsed, gasLimit)),
            colour: "accent",
            isBars: true,
            format: (value) => `${value} %`,
          },
          ...(hasFees ? [{ values: fees, colour: "wait", side: 2 }] : []),
        ]}
        formatPlace=${grouped}
      />
      <figcaption class="soft"><span class="key accent"></span> Gas used, percent of the limit ${hasFees && html`<span class="key wait"></span> Base fee, ${unit}`}</figcaption>
    </figure>
  <//>`;
}

show(Block);

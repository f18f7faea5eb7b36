// The logs of a transaction, fifty at a time.

import { useState } from "preact/hooks";
import { action } from "../base/api.js";
import { grouped } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { Decoded } from "../decoding/decoded.js";
import { useGuessedEvent } from "../decoding/dictionary.js";
import { Data } from "../parts/hexdata.js";
import { Address, Section, Waiting } from "../parts/parts.js";

export function Logs({ hash, first }) {
  const [after, setAfter] = useState(null);
  const further = useAnswer(
    after === null
      ? null
      : action("Its further logs", "transaction", "gettxinfo", {
          txhash: hash,
          details: "true",
          index: after,
        }),
  );
  const page = after === null ? first : further.value;
  const count = Number(first.details.logsCount);
  const next = page?.next_page_params?.index;
  return html`<${Section} id="logs" title="Logs" aside=${html`<span class="soft">${grouped(count)}</span>`} empty=${count === 0 && "It logged nothing."}>
    ${!page && html`<${Waiting} answer=${further} what="logs" />`}
    <ol class="logs">
      ${page?.logs.map((log, place) => html`<${Log} key=${log.index} log=${log} decoded=${page.details.logs[place]} />`)}
    </ol>
    ${
      (after !== null || next !== undefined) &&
      html`<nav class="pages" aria-label="Pages of logs">
        <button type="button" disabled=${after === null} onClick=${() => setAfter(null)}>First</button>
        <button type="button" disabled=${next === undefined} onClick=${() => setAfter(String(next))}>Next</button>
      </nav>`
    }
  <//>`;
}

function Log({ log, decoded }) {
  const guess = useGuessedEvent(log, !decoded);
  const event = decoded ?? guess;
  const topics = log.topics.filter((topic) => topic !== null);
  return html`<li class="card">
    <p class="heading"><span><span class="soft">#${log.index}</span> <${Address} address=${log.address} isWhole /></span></p>
    ${event && html`<${Decoded} ...${event} isGuess=${!decoded} />`}
    <details open=${!event}>
      <summary>${topics.length} topics, ${(log.data.length - 2) / 2} bytes</summary>
      <ol class="topics" start="0">${topics.map((topic) => html`<li><code class="data">${topic}</code></li>`)}</ol>
      <${Data} hex=${log.data} label=${`Data of log ${log.index}`} />
    </details>
  </li>`;
}

// Lists: a page at a time, on a phone each row as a card, and all of it as a file.

import { useState } from "preact/hooks";
import { ask } from "./api.js";
import { csvOf } from "./csv.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { Waiting } from "./parts.js";

const ROWS = 25;
const CSV_ROWS = 1000;
/** The API lists no further. */
const CSV_MOST = 10_000;

/**
 * Rows in columns: `[title, cell, kind]`, where `cell` makes the content of a row, and `kind` is `number` for what
 * stands at the right. `caption` says what it is to who does not see the heading.
 */
export function Table({ caption, columns, rows }) {
  return html`<table role="table">
    <caption class="hidden">${caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(([title, , kind]) => html`<th role="columnheader" scope="col" class=${kind}>${title}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row, index) => html`<tr role="row" class=${row.isError === "1" ? "failed" : undefined}>
          ${columns.map(
            ([title, cell, kind]) =>
              html`<td role="cell" class=${kind} data-title=${title}><div>${cell(row, index)}</div></td>`,
          )}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * A list of the API. `request` makes the request of a page from `{ page, offset }`; `file` is the name of its CSV, without
 * which there is none; `version` as in `useAnswer`.
 */
export function List({
  what,
  request,
  columns,
  file,
  version = 0,
  rows: count = ROWS,
  isPaged = true,
}) {
  const [page, setPage] = useState(1);
  const answer = useAnswer(request({ page, offset: count }), version);
  const rows = answer.value;
  if (!rows && !(answer.isLoading && page > 1))
    return html`<${Waiting} answer=${answer} what=${what} />`;
  if (rows?.length === 0 && page === 1) return html`<p class="empty">There are no ${what}.</p>`;
  const hasMore = rows?.length === count;
  return html`<div class="list">
    ${rows ? html`<${Table} caption=${what} columns=${columns} rows=${rows} />` : html`<${Waiting} answer=${answer} what=${what} />`}
    ${
      isPaged &&
      html`<div class="pages">
        ${file && html`<${Download} what=${what} request=${request} file=${file} />`}
        ${
          (page > 1 || hasMore) &&
          html`<nav aria-label=${`Pages of ${what}`}>
            <button type="button" disabled=${page === 1} onClick=${() => setPage(page - 1)}>Previous</button>
            <span>Page ${page}</span>
            <button type="button" disabled=${!hasMore} onClick=${() => setPage(page + 1)}>Next</button>
          </nav>`
        }
      </div>`
    }
  </div>`;
}

/** All rows that the API lists, as a file. */
function Download({ what, request, file }) {
  const [state, setState] = useState(null);
  const download = async () => {
    setState("Asking…");
    try {
      save(file, csvOf(await askAll(request)));
      setState(null);
    } catch (error) {
      setState(error.message);
    }
  };
  return html`<span>
    <button type="button" class="copy" disabled=${state === "Asking…"} onClick=${download} aria-label=${`CSV of ${what}`}>CSV</button>
    ${" "}<span role="status">${state}</span>
  </span>`;
}

async function askAll(request) {
  const all = [];
  for (let page = 1; all.length < CSV_MOST; page++) {
    const rows = await ask(request({ page, offset: CSV_ROWS }), { isListed: false });
    all.push(...rows);
    if (rows.length < CSV_ROWS) break;
  }
  return all;
}

function save(file, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

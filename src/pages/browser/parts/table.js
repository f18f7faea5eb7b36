// Lists: a page at a time, which follows the chain, on a phone two lines a row, and all of it as a file.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../base/api.js";
import { head } from "../base/heads.js";
import { go, useAnswer, useCount } from "../base/hooks.js";
import { html } from "../base/html.js";
import { csvOf } from "./csv.js";
import { Section, Waiting } from "./parts.js";

const ROWS = 25;
const CSV_ROWS = 1000;
/** The API lists no further. */
const CSV_MOST = 10_000;
/** Identifies a record; its other fields change as the chain goes on. */
const IDENTITY = [
  ...["hash", "transactionHash", "blockNumber", "logIndex", "traceId", "index", "from", "to"],
  ...["contractAddress", "tokenID", "address", "Address", "id", "withdrawalIndex"],
];

/** A key for each record; of equal ones the later have a number. */
function keysOf(rows) {
  const seen = new Map();
  return rows.map((row) => {
    const key = IDENTITY.map((name) => row[name]).join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return `${key}#${seen.get(key)}`;
  });
}

/**
 * Rows in columns: `[title, cell, kind]`, where `cell` makes the content of a row. `kind` holds `number` for what stands
 * at the right, and the place in a row on a phone: `first`, `second`, each with `end` for its right side; `label` keeps
 * the title there, and what has none is left out. `caption` says what it is to who does not see the heading, `fresh` are the keys
 * of rows that have just come.
 */
export function Table({ caption, columns, rows, fresh }) {
  const keys = keysOf(rows);
  return html`<table role="table">
    <caption class="hidden">${caption}</caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(([title, , kind]) => html`<th role="columnheader" scope="col" class=${kind}>${title || html`<span class="hidden">Direction</span>`}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (
          row,
          index,
        ) => html`<tr role="row" key=${keys[index]} class=${`${row.isError === "1" ? "failed" : ""} ${fresh?.has(keys[index]) ? "fresh" : ""}`}>
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
 * The rows to show: the newest answer, but where the reader has scrolled into the list the rows that he reads, until
 * he asks for the new ones or blocks were rolled back.
 */
function useCalmRows(answer, element, list) {
  const { branch } = head.use();
  const [shown, setShown] = useState({});
  const rows = answer.value;
  const isSame = shown.list === list && shown.rows !== undefined;
  const keys = rows && keysOf(rows);
  const known = isSame ? new Set(keysOf(shown.rows)) : null;
  const fresh = new Set(known && keys ? keys.filter((key) => !known.has(key)) : []);
  const show = () => setShown({ list, branch, rows, fresh });
  useEffect(() => {
    if (rows === undefined || rows === shown.rows) return;
    const isRead = isSame && element.current?.getBoundingClientRect().top < 0;
    if (!isRead || fresh.size === 0 || shown.branch !== branch) show();
  }, [rows, list]);
  if (rows === undefined) return { waits: fresh.size };
  return isSame
    ? { ...shown, waits: rows === shown.rows ? 0 : fresh.size, show }
    : { rows, waits: 0 };
}

/**
 * A list of the API, with a heading where `title` is given. `request` makes the request of a page from `{ page, offset }`;
 * `file` is the name of its CSV, without which there is none; `parameter` of the address bar holds its page.
 */
export function List(properties) {
  const { what, request, rows: count = ROWS, parameter = "page", isPaged = true } = properties;
  const element = useRef(null);
  const asked = useCount(parameter);
  const page = isPaged ? asked : 1;
  const asking = request({ page, offset: count });
  const answer = useAnswer(asking, page > 1 ? "branch" : "head");
  const calm = useCalmRows(answer, element, asking.path);
  const isEmpty = page === 1 && calm.rows?.length === 0;
  return html`<${Framed} ...${properties} empty=${isEmpty && `There are no ${what}.`}>
    <div class="list" ref=${element}>
      <${Rows} ...${properties} answer=${answer} calm=${calm} element=${element} />
      ${isPaged && (calm.rows || page > 1) && html`<${Pages} ...${properties} page=${page} hasMore=${calm.rows?.length === count} parameter=${parameter} />`}
    </div>
  <//>`;
}

function Framed({ id, title, aside, empty, children }) {
  if (title)
    return html`<${Section} id=${id} title=${title} aside=${aside} empty=${empty}>${children}<//>`;
  return empty ? html`<p class="empty">${empty}</p>` : children;
}

function Rows({ what, columns, answer, calm: { rows, waits, fresh, show }, element }) {
  if (!rows) return html`<${Waiting} answer=${answer} what=${what} />`;
  const showNew = () => {
    show();
    element.current.scrollIntoView({ block: "start" });
  };
  return html`
    ${waits > 0 && html`<button type="button" class="new" onClick=${showNew}>${waits} new</button>`}
    <${Table} caption=${what} columns=${columns} rows=${rows} fresh=${fresh} />
  `;
}

function Pages({ what, request, file, page, hasMore, parameter }) {
  const turn = (to) => go({ [parameter]: to === 1 ? null : String(to) });
  if (!file && page === 1 && !hasMore) return null;
  return html`<div class="pages">
    ${file && html`<${Download} what=${what} request=${request} file=${file} />`}
    ${
      (page > 1 || hasMore) &&
      html`<nav aria-label=${`Pages of ${what}`}>
        <button type="button" disabled=${page === 1} onClick=${() => turn(1)}>First</button>
        <button type="button" disabled=${page === 1} onClick=${() => turn(page - 1)}>Previous</button>
        <span>Page ${page}</span>
        <button type="button" disabled=${!hasMore} onClick=${() => turn(page + 1)}>Next</button>
      </nav>`
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
    <button type="button" class="small" disabled=${state === "Asking…"} onClick=${download} aria-label=${`CSV of ${what}`}>CSV</button>
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

// Source text in colours: the words that Prism finds, each inserted as text.

import "./prism-setup.js";
import "prismjs/core";
import "prismjs/clike";
import "prismjs/solidity";
import "prismjs/python";
import { useEffect, useRef } from "preact/hooks";
import { unturned } from "../base/format.js";
import { html } from "../base/html.js";

/** To colour more takes longer than anybody waits. */
const LONGEST = 400_000;

/** The text of a source file; Vyper is coloured as Python, anything else as Solidity. One `line` is marked and shown, 0 for none. */
export function Highlighted({ text: content, path, line }) {
  const mark = useRef(null);
  useEffect(() => mark.current?.scrollIntoView({ block: "center" }), [line]);
  const text = unturned(content);
  const { Prism } = globalThis;
  const grammar = /\.vyi?$/.test(path) ? Prism.languages.python : Prism.languages.solidity;
  const tokens = text.length > LONGEST ? [text] : Prism.tokenize(text, grammar);
  const lines = text.split("\n").length;
  return html`<div class="source">
    <pre aria-hidden="true">${Array.from({ length: Math.min(lines, 20_000) }, (_, index) => index + 1).join("\n")}</pre>
    <pre tabindex="0" aria-label=${`Text of ${path}`}><code>${tokens.map(present)}</code></pre>
    ${line > 0 && line <= lines && html`<mark ref=${mark} style=${{ "--line": line - 1 }}></mark>`}
  </div>`;
}

function present(token) {
  if (typeof token === "string") return token;
  const { type, content } = token;
  return html`<span class=${`token ${type}`}>${Array.isArray(content) ? content.map(present) : present(content)}</span>`;
}

import { useState } from "preact/hooks";
import { cleaned } from "../base/format.js";
import { html } from "../base/html.js";
import { Copy } from "./parts.js";

const LONGEST_SHOWN = 20_000;

/** Bytes as hex or, where they are any, as text. */
export function Data({ hex, label }) {
  const [isText, setText] = useState(false);
  if (hex === "0x" || hex === "") return html`<p class="empty">No data.</p>`;
  const bytes = (hex.length - 2) / 2;
  const shown = hex.slice(0, LONGEST_SHOWN);
  return html`<div class="bytes">
    <div class="heading">
      <span class="soft">${bytes} bytes${hex.length > LONGEST_SHOWN && `, the first ${LONGEST_SHOWN / 2} shown`}</span>
      <span>
        <button type="button" class="copy" aria-pressed=${isText} onClick=${() => setText(!isText)}>${isText ? "Hex" : "Text"}</button>${" "}
        <${Copy} text=${hex} />
      </span>
    </div>
    <pre tabindex="0" aria-label=${label}><code>${isText ? textOf(shown) : shown}</code></pre>
  </div>`;
}

function textOf(hex) {
  const bytes = Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) =>
    Number.parseInt(pair, 16),
  );
  const text = new TextDecoder().decode(bytes);
  return text
    .split("\n")
    .map((line) => cleaned(line, LONGEST_SHOWN))
    .join("\n");
}

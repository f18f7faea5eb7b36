import { html } from "./html.js";

export function ReadContract() {
  return html`<p class="empty">Nothing to read.</p>`;
}

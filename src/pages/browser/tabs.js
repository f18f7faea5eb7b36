import { html } from "./html.js";

/** Links to the parts of a page, `[name, title]`; the address bar names the one that is shown. */
export function Tabs({ label, tabs, current }) {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(([name, title]) => html`<a key=${name} href=${`#${name}`} aria-current=${name === current ? "true" : undefined}>${title}</a>`)}
  </nav>`;
}

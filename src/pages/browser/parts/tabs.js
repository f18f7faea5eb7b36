import { go } from "../base/hooks.js";
import { html } from "../base/html.js";

/** Links to the parts of a page, `[name, title, count]`; the address bar names the one that is shown. */
export function Tabs({ label, tabs, current }) {
  const choose = (event, name) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go({ page: null, tab: null }, name);
  };
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(([name, title, count]) => html`<a key=${name} href=${`#${name}`} data-count=${count} aria-current=${name === current ? "true" : undefined} onClick=${(event) => choose(event, name)}>${title}</a>`)}
  </nav>`;
}

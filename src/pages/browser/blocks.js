// The page of all blocks.

import { action } from "./api.js";
import { show } from "./frame.js";
import { html } from "./html.js";
import { blockColumns } from "./records.js";
import { List } from "./table.js";

function Blocks() {
  return html`
    <h1>Blocks</h1>
    <${List}
      what="blocks"
      file="blocks.csv"
      request=${(paging) => action("Blocks, the newest first", "block", "listblocks", paging)}
      columns=${blockColumns}
    />
  `;
}

show(Blocks);

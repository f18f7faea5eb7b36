// The page of all blocks.

import { action } from "./base/api.js";
import { html } from "./base/html.js";
import { show } from "./parts/frame.js";
import { blockColumns } from "./parts/records.js";
import { List } from "./parts/table.js";

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

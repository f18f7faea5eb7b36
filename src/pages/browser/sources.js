// The source files of a contract, several side by side.

import { useState } from "preact/hooks";
import { sourcify } from "./api.js";
import { cleaned } from "./format.js";
import { Highlighted } from "./highlight.js";
import { useAnswer } from "./hooks.js";
import { html } from "./html.js";
import { Copy, Section, Waiting } from "./parts.js";
import { subjectOfPage as address, chainId } from "./surroundings.js";

const LONGEST_PATH = 200;

/** `main` is the name of the contract behind its file, `src/A.sol:A`. */
export function Sources({ main }) {
  const answer = useAnswer(
    sourcify("Its sources", `contract/${chainId}/${address}?fields=sources`),
  );
  const mainFile = main.slice(0, main.lastIndexOf(":"));
  const [toggled, setToggled] = useState({});
  if (!answer.value)
    return html`<${Section} id="sources" title="Sources"><${Waiting} answer=${answer} what="the sources" /><//>`;
  const files = Object.entries(answer.value.sources).sort(
    ([one], [other]) =>
      Number(other === mainFile) - Number(one === mainFile) || (one < other ? -1 : 1),
  );
  return html`<${Section} id="sources" title="Sources" aside=${html`<span class="soft">${files.length} ${files.length === 1 ? "file" : "files"}</span>`}>
    ${files.map(([path, { content }], index) => {
      const isOpen = Object.hasOwn(toggled, path) ? toggled[path] : index === 0;
      return html`<details class="file" key=${path} open=${isOpen} onToggle=${(event) => setToggled({ ...toggled, [path]: event.currentTarget.open })}>
        <summary><bdi>${cleaned(path, LONGEST_PATH) || "source"}</bdi></summary>
        ${isOpen && html`<div class="content"><${Copy} text=${content} label="Copy file" /><${Highlighted} text=${content} path=${path} /></div>`}
      </details>`;
    })}
  <//>`;
}

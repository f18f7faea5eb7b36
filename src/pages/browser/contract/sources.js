// The source files of a contract, several side by side.

import { useState } from "preact/hooks";
import { sourcify } from "../base/api.js";
import { cleaned } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { subjectOfPage as address, chainId } from "../base/surroundings.js";
import { Copy, Section, Waiting } from "../parts/parts.js";
import { Highlighted } from "./highlight.js";

const LONGEST_PATH = 200;
/** The line that a link is for. */
const wanted = new URLSearchParams(location.search);

/** `main` is the name of the contract behind its file, `src/A.sol:A`. */
export function Sources({ main }) {
  const answer = useAnswer(
    sourcify("Its sources", `contract/${chainId}/${address}?fields=sources`),
  );
  const mainFile = wanted.get("file") ?? main.slice(0, main.lastIndexOf(":"));
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
        ${isOpen && html`<div class="content"><${Copy} text=${content} label="Copy file" /><${Highlighted} text=${content} path=${path} line=${path === wanted.get("file") ? Number(wanted.get("line")) : 0} /></div>`}
      </details>`;
    })}
  <//>`;
}

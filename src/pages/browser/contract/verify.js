// A form that verifies a contract: source files or a standard JSON, dropped or chosen, and the compiler that was used.

import { useState } from "preact/hooks";
import { ask, report, sourcify } from "../base/api.js";
import { cleaned } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { subjectOfPage as address, chainId } from "../base/surroundings.js";
import { Section } from "../parts/parts.js";

const PAUSE_MS = 1_000;

export function Verify() {
  const [files, setFiles] = useState([]);
  const [settings, setSettings] = useState({ runs: "", evmVersion: "", viaIR: false });
  const [compiler, setCompiler] = useState("");
  const [name, setName] = useState("");
  const [state, setState] = useState(null);
  const family = files.some(({ path }) => /\.vyi?$/.test(path)) ? "vyper" : "solc";
  const { value: compilers } = useAnswer(
    report("The compilers", "pages/compilers.json"),
    "nothing",
  );
  const standard = standardIn(files);
  const names = standard ? [] : contractsIn(files);
  const chosen = name || names[0] || "";
  const add = async (list) => {
    const added = await Promise.all(
      [...list].map(async (file) => ({
        path: file.webkitRelativePath || file.name,
        text: await file.text(),
      })),
    );
    setFiles(added);
    setName("");
  };
  const submit = async (event) => {
    event.preventDefault();
    setState({ text: "Sending…" });
    try {
      const request = {
        stdJsonInput: standard ?? inputOf(files, family, settings),
        compilerVersion: compiler || compilers[family][0],
        contractIdentifier: chosen,
      };
      await follow(await ask(verification(request), { isListed: false }), setState);
    } catch (error) {
      setState({ problem: error.message });
    }
  };
  const set =
    (key) =>
    ({ currentTarget }) =>
      setSettings({
        ...settings,
        [key]: key === "viaIR" ? currentTarget.checked : currentTarget.value,
      });
  return html`<${Section} id="verify" title="Verify its source">
    <form class="card verify" onSubmit=${submit}>
      <label class="drop" onDragOver=${(event) => event.preventDefault()} onDrop=${(event) => {
        event.preventDefault();
        void add(event.dataTransfer.files);
      }}>
        <span>Source files (.sol, .vy) or a standard JSON: drop them here, or choose</span>
        <input type="file" multiple accept=".sol,.vy,.vyi,.json" onChange=${({ currentTarget }) => void add(currentTarget.files)} />
        <span class="soft">${files.map(({ path }) => cleaned(path)).join(", ")}</span>
      </label>
      <label><span>Compiler</span>
        <select value=${compiler} onChange=${({ currentTarget }) => setCompiler(currentTarget.value)}>
          ${(compilers?.[family] ?? []).map((version) => html`<option value=${version}>${family} ${version}</option>`)}
        </select>
      </label>
      <label><span>Contract</span>
        <input value=${chosen} list="contracts-in-files" placeholder="src/Token.sol:Token" required onInput=${({ currentTarget }) => setName(currentTarget.value)} />
        <datalist id="contracts-in-files">${names.map((one) => html`<option value=${one}></option>`)}</datalist>
      </label>
      ${
        !standard &&
        html`<label><span>Optimiser runs</span><input inputmode="numeric" value=${settings.runs} placeholder="not optimised" onInput=${set("runs")} /></label>
        <label><span>EVM version</span><input value=${settings.evmVersion} placeholder="the compiler's default" onInput=${set("evmVersion")} /></label>
        <label><span>By IR (viaIR)</span><input type="checkbox" checked=${settings.viaIR} onChange=${set("viaIR")} /></label>`
      }
      <p class="buttons"><button type="submit" disabled=${files.length === 0 || !compilers}>Verify</button></p>
      <p role="status" class=${state?.problem ? "problem" : "soft"}>${state?.problem ?? state?.text}</p>
    </form>
  <//>`;
}

function verification(request) {
  const posted = sourcify("A verification", `verify/${chainId}/${address}`);
  return { ...posted, body: JSON.stringify(request) };
}

/** Waits for the end of a job; the page then shows the verified contract. */
async function follow({ verificationId }, setState) {
  for (let seconds = 0; ; seconds++) {
    setState({ text: `The compiler works… ${seconds > 0 ? `${seconds} s` : ""}` });
    const job = await ask(sourcify("Its progress", `verify/${verificationId}`), {
      isListed: false,
    });
    if (job.error) return setState({ problem: job.error.message });
    if (job.isJobCompleted) return location.reload();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The standard JSON among the files; undefined without one. */
function standardIn(files) {
  if (files.length !== 1 || !files[0].path.endsWith(".json")) return undefined;
  try {
    const json = JSON.parse(files[0].text);
    return json.input ?? json;
  } catch {
    return undefined;
  }
}

function contractsIn(files) {
  return files.flatMap(({ path, text }) =>
    /\.vyi?$/.test(path)
      ? [
          `${path}:${path
            .split("/")
            .at(-1)
            .replace(/\.\w+$/, "")}`,
        ]
      : [...text.matchAll(/(?:^|[;}])\s*(?:abstract\s+)?(?:contract|library)\s+(\w+)/gm)].map(
          ([, name]) => `${path}:${name}`,
        ),
  );
}

function inputOf(files, family, { runs, evmVersion, viaIR }) {
  const sources = Object.fromEntries(files.map(({ path, text }) => [path, { content: text }]));
  const target = evmVersion === "" ? {} : { evmVersion };
  if (family === "vyper") return { language: "Vyper", sources, settings: { ...target } };
  const optimizer = { enabled: runs !== "", runs: Number(runs || 200) };
  const settings = { optimizer, ...target, ...(viaIR && { viaIR }) };
  return { language: "Solidity", sources, settings };
}

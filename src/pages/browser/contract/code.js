// The contract at an address: what is proven of it and how, its sources, its ABI; or what it resembles.

import { actionV2, sourcify } from "../base/api.js";
import { cleaned, unturned } from "../base/format.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { subjectOfPage as address, chainId } from "../base/surroundings.js";
import { decode } from "../decoding/abi.js";
import { Parameters } from "../decoding/decoded.js";
import { Data } from "../parts/hexdata.js";
import { Address, Copy, Section, Waiting } from "../parts/parts.js";
import { Proof } from "./proof.js";
import { Sources } from "./sources.js";
import { Verify } from "./verify.js";

/** `isVerified` is undefined until that is known. */
export function Code({ bytecode, abi, isVerified, verified }) {
  return html`
    ${verified && html`<${Proof} verified=${verified} />`}
    ${abi !== undefined && verified && html`<${Constructor} abi=${JSON.parse(abi)} />`}
    ${isVerified === false && html`<${Similar} />${chainId !== "" && html`<${Verify} />`}`}
    ${abi !== undefined && chainId !== "" && html`<${Sources} main=${verified?.compilation.fullyQualifiedName ?? ""} />`}
    ${abi !== undefined && html`<${Abi} abi=${abi} />`}
    ${typeof bytecode === "string" && html`<${Section} id="bytecode" title="Code on chain"><${Data} hex=${bytecode} label="Code on chain" /><//>`}
  `;
}

/** What the constructor was given, decoded. */
function Constructor({ abi }) {
  const { inputs = [] } = abi.find(({ type }) => type === "constructor") ?? {};
  const answer = useAnswer(
    inputs.length === 0
      ? null
      : actionV2("What its constructor was given", "contract", "getsourcecode", { address }),
    "branch",
  );
  const hex = answer.value?.[0]?.ConstructorArguments ?? "";
  if (hex === "") return null;
  return html`<${Section} id="constructor" title="Constructor arguments">
    <div class="card"><${Arguments} inputs=${inputs} hex=${hex.replace(/^0x/, "")} /></div>
  <//>`;
}

function Arguments({ inputs, hex }) {
  try {
    return html`<${Parameters} parameters=${decode(inputs, hex)} />`;
  } catch {
    return html`<${Data} hex=${`0x${hex}`} label="Constructor arguments" />`;
  }
}

function Abi({ abi }) {
  return html`<${Section} id="abi" title="ABI" aside=${html`<${Copy} text=${abi} label="Copy ABI" />`}>
    <details class="card">
      <summary>${JSON.parse(abi).length} entries</summary>
      <pre tabindex="0"><code>${unturned(JSON.stringify(JSON.parse(abi), null, 2).slice(0, 300_000))}</code></pre>
    </details>
  <//>`;
}

/** Verified contracts of the same code but for what each deployment has of its own. */
function Similar() {
  const answer = useAnswer(
    chainId === ""
      ? null
      : sourcify("What it is similar to", `contract/similar/${chainId}/${address}`),
  );
  if (!answer.value) return html`<${Waiting} answer=${answer} what="similar contracts" />`;
  const { results } = answer.value;
  return html`<${Section} id="similar" title="Similar to">
    ${
      results.length === 0
        ? html`<p class="empty">Its source is not verified, and it resembles no verified contract.</p>`
        : html`<p>Its source is not verified. Its code is that of these verified contracts but for immutables, library addresses and metadata, which may change what it does:</p>
          <ul>${results.map((match) => html`<li key=${match.address}><${Address} address=${match.address.toLowerCase()} isWhole part="#code" /> <span class="soft">verified ${cleaned(match.verifiedAt ?? "")}</span></li>`)}</ul>`
    }
  <//>`;
}

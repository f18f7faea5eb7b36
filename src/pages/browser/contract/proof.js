// What is proven of a verified contract, and how. Source: docs/clients.md, "Sourcify".

import { cleaned, grouped } from "../base/format.js";
import { html } from "../base/html.js";
import { Address, Facts, Section } from "../parts/parts.js";

const ADDRESS_DIGITS = 40;
const LEVELS = {
  exact_match: [
    "good",
    "exact",
    "the same bytes, metadata included: sources and settings are those of the deployment",
  ],
  match: ["good", "same code", "the same but for metadata: the sources make this code"],
};
const WAYS = {
  compared: ["good", "compared", "the code that created it is the compiled one"],
  run: [
    "good",
    "run",
    "the compiled code was run in the place of the deployed one, and made the code on chain",
  ],
  unknown: ["wait", "unknown", "what could be looked at does not say"],
};

export function Proof({ verified }) {
  const { proof, compilation, runtimeMatch, creationMatch } = verified;
  return html`<${Section} id="proof" title="What is proven">
      <${Facts} facts=${[
        ["Contract", html`<bdi>${cleaned(compilation.fullyQualifiedName)}</bdi>`],
        [
          "Compiler",
          html`<code>${compilation.compiler} ${cleaned(compilation.compilerVersion)}</code> ${settingsOf(compilation)}`,
        ],
        [
          "Runtime code",
          html`<${Level} word=${runtimeMatch} table=${LEVELS} otherwise="does not match" />`,
        ],
        [
          "Creation code",
          html`<${Level} word=${creationMatch} table=${LEVELS} otherwise="not known to match" />`,
        ],
        ...(proof
          ? proofFacts(proof)
          : [["Proof", html`<span class="soft">Verified before proofs were kept.</span>`]]),
      ]} />
  <//>`;
}

function proofFacts({ construction, immutables, values, runtimeCode, libraries }) {
  return [
    ["Constructor", html`<${Level} word=${construction} table=${WAYS} />`],
    values?.length !== 0 && ["Immutables", html`<${Level} word=${immutables} table=${WAYS} />`],
    values?.length > 0 && [
      "Their values",
      html`<dl class="parameters">${values.map(({ name, type, value }) => html`<div><dt><bdi>${cleaned(name ?? "")}</bdi> <span class="type">${cleaned(type ?? "")}</span></dt><dd><${Immutable} type=${type} word=${value} /></dd></div>`)}</dl>`,
    ],
    runtimeCode === "foreign" && [
      "Code",
      html`<span class="problem">The constructor put other code there than the compiler made.</span>`,
    ],
    libraries?.length > 0 && [
      "Libraries",
      html`<ul>${libraries.map((library) => html`<li><bdi>${cleaned(library.name ?? "")}</bdi> <${Address} address=${library.address.toLowerCase()} /> ${library.isVerified ? html`<span class="status good">verified from the same files</span>` : html`<span class="status wait">not verified</span>`}</li>`)}</ul>`,
    ],
  ].filter(Boolean);
}

/** The value in a word of 32 bytes, as its type reads it; other types stay bytes. */
function Immutable({ type, word }) {
  if (typeof word !== "string") return html`<span class="soft">unknown</span>`;
  if (type === "address" || /^contract /.test(type)) {
    return html`<${Address} address=${`0x${word.slice(-ADDRESS_DIGITS)}`} isWhole />`;
  }
  if (/^uint\d*$/.test(type)) return grouped(BigInt(word));
  if (/^int\d*$/.test(type)) return String(BigInt.asIntN(256, BigInt(word)));
  if (type === "bool") return BigInt(word) === 0n ? "false" : "true";
  return html`<code class="data">${cleaned(word, 300)}</code>`;
}

function Level({ word, table, otherwise = "unknown" }) {
  const [kind, name, words] = table[word] ?? ["", otherwise, ""];
  return html`<span class=${`status ${kind}`}>${name}</span> <span class="soft">${words}</span>`;
}

function settingsOf({ language, compilerSettings }) {
  const { optimizer, optimize, evmVersion, viaIR } = compilerSettings ?? {};
  // Vyper optimises unless it is told not to.
  const isOptimised =
    language === "Vyper" ? optimize !== "none" && optimize !== false : optimizer?.enabled;
  const target = typeof optimize === "string" ? optimize : "gas";
  const goal = language === "Vyper" ? target : `${optimizer?.runs ?? 200} runs`;
  const words = [
    isOptimised ? `optimised for ${goal}` : "not optimised",
    evmVersion && `EVM ${evmVersion}`,
    viaIR && "by IR",
  ];
  return html`<span class="soft">${words
    .filter(Boolean)
    .map((word) => cleaned(word))
    .join(", ")}</span>`;
}

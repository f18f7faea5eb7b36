// Functions of a contract: those that only read, to be called, and those that write, to be sent.

import { action } from "../base/api.js";
import { useAnswer } from "../base/hooks.js";
import { html } from "../base/html.js";
import { signatureOf } from "../decoding/abi.js";
import { Address, Section } from "../parts/parts.js";
import { Reading } from "./reading.js";
import { Wallet, Writing } from "./writing.js";

const KINDS = {
  read: {
    title: "Read",
    holds: (mutability) => /^(?:view|pure)$/.test(mutability),
    none: "It has no function that only reads.",
    Form: Reading,
  },
  write: {
    title: "Write",
    holds: (mutability) => !/^(?:view|pure)$/.test(mutability),
    none: "It has no function that writes.",
    Form: Writing,
  },
};

/** `implementations` are those of a proxy, or the facets of a diamond: their functions are called through it. */
export function Functions({ kind, abi, implementations }) {
  return html`<${Section} id=${kind} title=${KINDS[kind].title} aside=${kind === "write" && html`<${Wallet} />`}>
    <${Entries} kind=${kind} abi=${abi} />
    ${implementations.map((implementation) => html`<${Behind} key=${implementation.address} kind=${kind} ...${implementation} />`)}
  <//>`;
}

function Behind({ kind, address: implementation, name }) {
  const subject = implementation.toLowerCase();
  const abi = useAnswer(
    action("The ABI behind it", "contract", "getabi", { address: subject }),
    "branch",
  );
  return html`
    <h3>Of <${Address} address=${subject} name=${name} part="#code" /></h3>
    ${abi.isLoading && html`<p class="waiting" role="status">Asking for its ABI…</p>`}
    ${abi.error && html`<p class="empty">${abi.error.message}</p>`}
    ${abi.value && html`<${Entries} kind=${kind} abi=${abi.value} />`}
  `;
}

function Entries({ kind, abi }) {
  const { holds, none, Form } = KINDS[kind];
  const all = JSON.parse(abi);
  const functions = all.filter(
    ({ type, stateMutability }) => type === "function" && holds(stateMutability),
  );
  if (functions.length === 0) return html`<p class="empty">${none}</p>`;
  return html`<ul class="functions">
    ${functions.map((entry) => html`<li class="card" key=${signatureOf(entry)}><${Form} entry=${entry} abi=${all} /></li>`)}
  </ul>`;
}

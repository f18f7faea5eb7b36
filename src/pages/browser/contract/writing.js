// A function that writes: its calldata, a command that sends it, and a wallet where the browser has one (EIP-6963,
// EIP-1193). Nothing is signed or sent without the wallet's own question.

import { useState } from "preact/hooks";
import { ask, rpc } from "../base/api.js";
import { cleaned } from "../base/format.js";
import { html } from "../base/html.js";
import { checksummed } from "../base/keccak.js";
import { createStore } from "../base/store.js";
import { subjectOfPage as address, chainId } from "../base/surroundings.js";
import { encode, selectorOf, signatureOf } from "../decoding/abi.js";
import { Revert } from "../decoding/revert.js";
import { argumentOf, Fields } from "../parts/fields.js";
import { Address, Copy, TransactionLink } from "../parts/parts.js";

const USER_REFUSED = 4001;

/** Wallets that the browser has, `{ name, provider }`. */
const wallets = createStore(
  globalThis.ethereum ? [{ id: "", name: "Browser wallet", provider: globalThis.ethereum }] : [],
);
/** The one that is connected, with its account. */
const connection = createStore(null);

addEventListener("eip6963:announceProvider", ({ detail: { info, provider } }) => {
  const others = wallets.get().filter(({ id }) => id !== info.uuid && id !== "");
  wallets.set([...others, { id: info.uuid, name: cleaned(info.name, 40), provider }]);
});
dispatchEvent(new Event("eip6963:requestProvider"));

async function connect({ name, provider }) {
  const [account] = await provider.request({ method: "eth_requestAccounts" });
  if (Number(await provider.request({ method: "eth_chainId" })) !== Number(chainId)) {
    const id = `0x${Number(chainId).toString(16)}`;
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: id }] });
  }
  connection.set({ name, provider, account });
}

/** Says which account signs, or offers the wallets there are. */
export function Wallet() {
  const found = wallets.use();
  const connected = connection.use();
  const [problem, setProblem] = useState(null);
  if (connected) {
    return html`<span>${connected.name} <${Address} address=${connected.account.toLowerCase()} /></span>`;
  }
  const choose = (wallet) => connect(wallet).catch((error) => setProblem(wordsOf(error)));
  return html`<span>
    ${problem && html`<span class="problem">${problem}</span> `}
    ${
      found.length === 0
        ? html`<span class="soft">No wallet in this browser: fill in a function for its calldata and a command.</span>`
        : found.map(
            (wallet) =>
              html`<button type="button" class="small" key=${wallet.id} onClick=${() => choose(wallet)}>Connect ${wallet.name}</button> `,
          )
    }
  </span>`;
}

function wordsOf({ code, message }) {
  return code === USER_REFUSED
    ? "Refused in the wallet."
    : cleaned(message ?? "The wallet failed.", 200);
}

export function Writing({ entry, abi }) {
  const { inputs, stateMutability } = entry;
  const isPayable = stateMutability === "payable";
  const [texts, setTexts] = useState(inputs.map(() => ""));
  const [value, setValue] = useState("");
  const call = callTo(address, entry, texts.map(argumentOf), value);
  return html`<form onSubmit=${(event) => event.preventDefault()}>
    <div class="heading"><code class="signature">${cleaned(entry.name)}</code> <span class="soft">${stateMutability === "nonpayable" ? "" : stateMutability}</span></div>
    <${Fields} inputs=${inputs} texts=${texts} setTexts=${setTexts} />
    ${isPayable && html`<${Fields} inputs=${[{ name: "value", type: "wei" }]} texts=${[value]} setTexts=${([text]) => setValue(text)} />`}
    ${call.problem && texts.some((text) => text !== "") && html`<p class="problem">${call.problem}</p>`}
    ${call.data && html`<${Sending} to=${address} call=${call} abi=${abi} />`}
  </form>`;
}

/** Calldata, a command and a wallet for a call; only `sender` may make it, where that is given. */
export function Sending({ to, call, abi, sender }) {
  const connected = connection.use();
  const [outcome, setOutcome] = useState(null);
  const isOther = sender && connected && connected.account.toLowerCase() !== sender;
  const transaction = {
    from: sender ?? connected?.account,
    to,
    data: call.data,
    value: `0x${BigInt(call.value).toString(16)}`,
  };
  const tryIt = async () => {
    const [result] = await ask(
      rpc("What the call would do", [["eth_call", [transaction, "latest"]]]),
    );
    setOutcome(result instanceof Error ? { error: result } : { text: "It would succeed now." });
  };
  const send = async () => {
    const { provider } = connected;
    const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
    setOutcome({ hash });
  };
  const run = (act) => () =>
    act().catch((error) => setOutcome({ error: new Error(wordsOf(error)) }));
  return html`
    <div class="command"><span class="soft">Calldata</span> <code class="data">${call.data.slice(0, 500)}</code> <${Copy} text=${call.data} label="Copy calldata" /></div>
    <div class="command"><span class="soft">Foundry</span> <code class="data">${call.command}</code> <${Copy} text=${call.command} label="Copy command" /></div>
    <p class="buttons"><button type="button" class="small" onClick=${run(tryIt)}>Try without sending</button> <button type="button" class="small" disabled=${!connected || isOther} onClick=${run(send)}>Send with wallet</button></p>
    ${isOther && html`<p class="problem">Only <${Address} address=${sender} /> can send this: connect that account.</p>`}
    <div aria-live="polite">
      ${outcome?.error && html`<${Revert} error=${outcome.error} abi=${abi} />`}
      ${outcome?.text && html`<p class="good">${outcome.text}</p>`}
      ${outcome?.hash && html`<p>Sent: <${TransactionLink} hash=${outcome.hash} /></p>`}
    </div>
  `;
}

/** `{ data, value, command }` of a call, or why there is none yet. */
export function callTo(to, entry, values, wei = "") {
  try {
    const data = selectorOf(entry) + encode(entry.inputs, values);
    const value = wei.trim() === "" ? "0" : String(BigInt(wei.trim()));
    const shown = entry.inputs.map(({ type }, index) => quoted(forCast(type, values[index])));
    const paid = value === "0" ? [] : ["--value", value];
    const words = [checksummed(to), quoted(signatureOf(entry)), ...shown, ...paid];
    return { data, value, command: `cast send ${words.join(" ")} --rpc-url $ETH_RPC_URL` };
  } catch ({ message }) {
    return { problem: message };
  }
}

/** A value as cast takes it: lists in brackets, structs in parentheses. */
function forCast(type, value) {
  if (!Array.isArray(value)) return value;
  const element = type.replace(/\[\d*\]$/, "");
  const items = value.map((item) => forCast(element, item)).join(",");
  return element === type ? `(${items})` : `[${items}]`;
}

function quoted(text) {
  return /^[\w.-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`;
}

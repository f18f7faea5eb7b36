// The search box: it suggests while somebody types, and `/` leads to it.

import { useEffect, useRef, useState } from "preact/hooks";
import { action, ask } from "../base/api.js";
import { grouped, shortHash } from "../base/format.js";
import { html } from "../base/html.js";
import { checksummed } from "../base/keccak.js";
import { at, pageKind, pathTo, subjectOfPage } from "../base/surroundings.js";
import { Name } from "./parts.js";

const PAUSE_MS = 150;
const MOST = 6;

/** What a text can mean by its form alone, `{ kind, text, href }`. */
function plainSuggestions(text) {
  const number = text.replaceAll(/[,_' ]/g, "").replace(/^#/, "");
  if (/^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i.test(number)) {
    return [
      {
        kind: "Block",
        text: grouped(Number(number)),
        href: pathTo("block", String(Number(number))),
      },
    ];
  }
  const hex = `0x${text.replace(/^0x/i, "").toLowerCase()}`;
  if (/^0x[0-9a-f]{40}$/.test(hex)) {
    return [{ kind: "Address", text: checksummed(hex), href: pathTo("address", hex) }];
  }
  if (!/^0x[0-9a-f]{64}$/.test(hex)) return [];
  return [
    { kind: "Transaction", text: shortHash(hex), href: pathTo("tx", hex) },
    { kind: "Block", text: shortHash(hex), href: pathTo("block", hex) },
  ];
}

async function named(text) {
  const name = text.trim();
  if (name.length < 2) return [];
  const request = action("Names that begin so", "contract", "listbyname", { name, offset: MOST });
  const rows = await ask(request, { isListed: false });
  return rows.map(({ address, type, tokenName, tokenSymbol, contractName, nametag }) => ({
    kind: type || (contractName ? "Contract" : "Address"),
    text: nametag || tokenName || contractName,
    detail: [tokenSymbol, shortHash(checksummed(address))].filter(Boolean).join(" · "),
    href: type ? pathTo("token", address) : pathTo("address", address) + (contractName && "#code"),
  }));
}

function useSuggestions(text) {
  const [found, setFound] = useState({ text: "", rows: [] });
  useEffect(() => {
    const plain = plainSuggestions(text.trim());
    if (plain.length > 0 || text.trim() === "") {
      setFound({ text, rows: plain });
      return undefined;
    }
    let isOld = false;
    const timer = setTimeout(() => {
      named(text).then(
        (rows) => isOld || setFound({ text, rows }),
        () => isOld || setFound({ text, rows: [] }),
      );
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text]);
  return found.rows;
}

export function SearchBox() {
  const [text, setText] = useState(pageKind === "search" ? subjectOfPage : "");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef(null);
  const rows = useSuggestions(isOpen ? text : "");
  useSlash(input);
  const isShown = isOpen && rows.length > 0;
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && isShown) {
      event.preventDefault();
      setActive(((active + 1 + step + rows.length + 1) % (rows.length + 1)) - 1);
    } else if (event.key === "Escape") setOpen(false);
    else if (event.key === "Enter" && isShown && rows[active]) {
      event.preventDefault();
      location.assign(rows[active].href);
    }
  };
  return html`<form role="search" action=${at("search")} method="get">
    <input
      ref=${input}
      type="search"
      name="q"
      role="combobox"
      aria-label="Transaction, address, block or name"
      aria-expanded=${String(isShown)}
      aria-controls="suggestions"
      aria-autocomplete="list"
      aria-activedescendant=${isShown && active >= 0 ? `suggestion-${active}` : undefined}
      placeholder="Hash, address, block, name"
      value=${text}
      autocomplete="off"
      autocapitalize="off"
      spellcheck=${false}
      onInput=${({ currentTarget }) => {
        setText(currentTarget.value);
        setOpen(true);
        setActive(-1);
      }}
      onKeyDown=${press}
      onBlur=${() => setOpen(false)}
    />
    <kbd aria-hidden="true">/</kbd>
    <ul id="suggestions" role="listbox" aria-label="Suggestions" hidden=${!isShown}>
      ${rows.map(
        (
          { kind, text: name, detail, href },
          index,
        ) => html`<li key=${href} id=${`suggestion-${index}`} role="option" aria-selected=${String(index === active)} onMouseDown=${() => location.assign(href)}>
          <span class="badge">${kind}</span> <${Name} text=${name} /> <span class="soft">${detail}</span>
        </li>`,
      )}
    </ul>
  </form>`;
}

/** `/` leads to the search, as on other sites. */
function useSlash(input) {
  useEffect(() => {
    const press = (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(?:input|textarea|select)$/i.test(event.target.tagName)) return;
      event.preventDefault();
      input.current.focus();
      input.current.select();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

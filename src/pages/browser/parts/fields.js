// Fields for the arguments of a function.

import { cleaned } from "../base/format.js";
import { html } from "../base/html.js";

/** A field for each input; `texts` are what stands in them. */
export function Fields({ inputs, texts, setTexts }) {
  return inputs.map(
    ({ name, type }, index) => html`<label>
      <span>${cleaned(name) || `#${index}`} <span class="type">${cleaned(type)}</span></span>
      <input
        value=${texts[index]}
        autocomplete="off"
        spellcheck=${false}
        placeholder=${/[\]]$|^tuple/.test(type) ? "JSON list" : ""}
        onInput=${({ currentTarget }) => setTexts(texts.with(index, currentTarget.value))}
      />
    </label>`,
  );
}

/** What was typed: lists and structs as JSON, with numbers digit by digit; everything else as it stands. */
export function argumentOf(text) {
  if (!text.trim().startsWith("[")) return text.trim();
  try {
    return JSON.parse(text, (_name, value, { source }) =>
      typeof value === "number" ? source : value,
    );
  } catch {
    return text;
  }
}

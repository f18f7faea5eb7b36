// Names of functions and events from standards and widely used interfaces: guesses, where no verified ABI names them.

import { useEffect } from "preact/hooks";
import { hashOf } from "../base/keccak.js";
import { createStore } from "../base/store.js";
import { folder } from "../base/surroundings.js";
import { decode, parseSignature, selectorOf, signatureOf } from "./abi.js";

const dictionary = createStore(null);
let loading;

async function load() {
  const { functions, events } = await (await fetch(`${folder}/dictionary.json`)).json();
  const index = (texts, keyOf) => Map.groupBy(texts.map(parseSignature), keyOf);
  dictionary.set({
    functions: index(functions, selectorOf),
    events: index(events, (entry) => hashOf(signatureOf(entry))),
  });
}

/** The dictionary, once something on the page needs it; null before. */
function useDictionary(isNeeded) {
  useEffect(() => {
    // Without it everything stays as it was: no name is shown.
    if (isNeeded && !loading) loading = load().catch(() => {});
  }, [isNeeded]);
  return dictionary.use();
}

/** The call that calldata may be, decoded as the API decodes verified ones; null where nothing fits. */
export function useGuessedCall(input, isNeeded = true) {
  const known = useDictionary(isNeeded);
  return isNeeded && known ? guessCall(known, input) : null;
}

function guessCall({ functions }, input) {
  for (const entry of functions.get(input.slice(0, 10)) ?? []) {
    const parameters = decoded(entry.inputs, input.slice(10));
    if (parameters) return { signature: signatureOf(entry), parameters };
  }
  return null;
}

/** The name of the function that a selector may stand for. */
export function useGuessedName(selector, isNeeded) {
  const known = useDictionary(isNeeded);
  return known?.functions.get(selector)?.[0].name;
}

/** The event that a log may be; null where nothing fits. */
export function useGuessedEvent({ topics, data }, isNeeded = true) {
  const known = useDictionary(isNeeded);
  const [first, ...indexed] = topics.filter(Boolean);
  for (const entry of (isNeeded && known?.events.get(first)) || []) {
    const parameters = eventOf(entry, indexed, data);
    if (parameters) return { signature: signatureOf(entry), parameters };
  }
  return null;
}

function eventOf({ inputs }, topics, data) {
  const [inTopics, inData] = [true, false].map((is) => inputs.filter((one) => one.indexed === is));
  if (inTopics.length !== topics.length) return undefined;
  const fromTopics = inTopics.map((input, index) => {
    const isHashed = /^(?:string|bytes|tuple)$|\]$/.test(input.type);
    const read = decoded(
      [isHashed ? { ...input, type: "bytes32" } : input],
      topics[index].slice(2),
    );
    return read && { ...read[0], type: input.type, ...(isHashed && { hashed: true }) };
  });
  const fromData = decoded(inData, data.slice(2));
  if (!fromData || fromTopics.includes(undefined)) return undefined;
  return inputs.map(({ indexed }) => (indexed ? fromTopics : fromData).shift());
}

/** Undefined where the bytes cannot be an encoding of these types. */
function decoded(inputs, hex) {
  try {
    return decode(inputs, hex);
  } catch {
    return undefined;
  }
}

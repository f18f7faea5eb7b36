// Figures and texts for people. Amounts are decimal text of any length: no number of JavaScript's is made of them.

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;
/** Controls, and what turns the direction of text around or is not seen: a name may hold them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LONGEST_NAME = 120;
const SHOWN_PLACES = 8;
const MOST_ZEROS = 18;

/** `1234567` as `1,234,567`. */
export function grouped(digits) {
  return String(digits).replace(GROUPS, ",");
}

/** Exact decimal text of an integer in units of ten to the power of `decimals`. */
export function inUnits(value, decimals) {
  const places = Number(decimals);
  const text = String(value);
  if (!(places > 0)) return text;
  const digits = text.padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}

/** The same, grouped, and cut behind the first eight places that count. */
export function shortUnits(value, decimals) {
  const [whole, fraction = ""] = inUnits(value, decimals).split(".");
  const zeros = /^0*/.exec(fraction)[0].length;
  const places = whole === "0" ? zeros + 4 : SHOWN_PLACES;
  // A fraction that begins with very many zeros says nothing but that it is small.
  const shown = zeros > MOST_ZEROS ? "" : fraction.slice(0, places).replace(/0+$/, "");
  if (shown === "") return fraction === "" ? grouped(whole) : `≈ ${grouped(whole)}`;
  return `${grouped(whole)}.${shown}${fraction.length > places ? "…" : ""}`;
}

/** `0x12345678…abcdef` */
export function shortHash(hash) {
  return hash.length > 22 ? `${hash.slice(0, 10)}…${hash.slice(-6)}` : hash;
}

/** Foreign text as it may be shown: in one line, without what cannot be seen, and not for ever. */
export function cleaned(text, longest = LONGEST_NAME) {
  const start = String(text)
    .slice(0, longest * 4)
    .toWellFormed();
  const characters = [...start.replace(UNSEEN, "\ufffd")];
  return characters.length > longest
    ? `${characters.slice(0, longest).join("")}…`
    : characters.join("");
}

/**
 * Marks that turn the text around them, and ends of lines that a page does not show: a source with them reads other than it
 * compiles ("Trojan Source").
 */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)|[\v\f\x85\u2028\u2029]/g;

/** Text of a file, whole, with those marks by their code points. */
export function unturned(text) {
  return text.replace(
    TURNING,
    (mark) => `⟦U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** `3 minutes ago` */
export function ago(seconds) {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return seconds < 1 ? "just now" : `${Math.floor(seconds)} s ago`;
}

/** `22 Nov 2026, 10:20:01 UTC` */
export function dateOf(seconds) {
  const date = new Date(seconds * 1000);
  // Blocks of hostile chains are of any time.
  if (Number.isNaN(date.getTime())) return `${seconds} s`;
  const options = { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" };
  return `${date.toLocaleString("en-GB", options)} UTC`;
}

/** `12.5 %` of two amounts, decimal text. */
export function share(part, whole) {
  return `${percent(part, whole)} %`;
}

/** Hundredths of the whole, as a number with two places. */
export function percent(part, whole) {
  if (BigInt(whole) === 0n) return 0;
  return Number((BigInt(part) * 10_000n) / BigInt(whole)) / 100;
}

/** `23 s`, `4 min`, `5 h`, `6 d`. */
export function duration(seconds) {
  for (const [unit, size] of [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
  ]) {
    if (seconds >= size * 2) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return `${Math.floor(seconds)} s`;
}

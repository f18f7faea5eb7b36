// Figures and texts for people. Amounts are decimal text of any length: no number of JavaScript's is made of them.

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;
/** Controls, and what turns the direction of text around or is not seen: a name may hold them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LONGEST_NAME = 120;
const SHOWN_PLACES = 4;
const MOST_ZEROS = 12;

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

/** The same, grouped. */
export function wholeUnits(value, decimals) {
  const [whole, fraction] = inUnits(value, decimals).split(".");
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/**
 * The same as `[whole, fraction]`, rounded to four places, or to four digits where it is less than one; `≈` in front says
 * that the rest is left out.
 */
export function shortUnits(value, decimals) {
  const [whole, fraction = ""] = inUnits(value, decimals).split(".");
  const zeros = whole === "0" ? /^0*/.exec(fraction)[0].length : 0;
  // A fraction that begins with very many zeros says nothing but that it is small.
  if (zeros > MOST_ZEROS) return ["≈ 0", ""];
  const places = zeros + SHOWN_PLACES;
  if (fraction.length <= places) return [grouped(whole), fraction];
  const up = fraction[places] >= "5" ? 1n : 0n;
  const rounded = inUnits(BigInt(whole + fraction.slice(0, places)) + up, places).split(".");
  return [grouped(rounded[0]), rounded[1] ?? ""];
}

/** `$3,141.59`, from wei and the decimal text of a price. */
export function dollarsOf(wei, price) {
  const [whole, fraction = ""] = price.split(".");
  const cents =
    (BigInt(wei) * BigInt(whole + fraction) * 100n) / 10n ** BigInt(18 + fraction.length);
  if (cents === 0n) return "< $0.01";
  const digits = String(cents).padStart(3, "0");
  return `$${grouped(digits.slice(0, -2))}.${digits.slice(-2)}`;
}

/** `0x123456…cdef` */
export function shortHash(hash) {
  return hash.length > 22 ? `${hash.slice(0, 8)}…${hash.slice(-4)}` : hash;
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
  ["h", 3_600],
  ["min", 60],
];

/** `3 min ago` */
export function ago(seconds) {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${unit === "day" && count > 1 ? "s" : ""} ago`;
  }
  return seconds < 1 ? "just now" : `${Math.floor(seconds)} s ago`;
}

/** `22 Nov 2026, 10:20:01 UTC`; with null, in the reader's zone. */
export function dateOf(seconds, timeZone = "UTC") {
  const date = new Date(seconds * 1000);
  // Blocks of hostile chains are of any time.
  if (Number.isNaN(date.getTime())) return `${seconds} s`;
  const options = { dateStyle: "medium", timeStyle: "medium", timeZone: timeZone ?? undefined };
  return `${date.toLocaleString("en-GB", options)} ${timeZone ?? "local time"}`;
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

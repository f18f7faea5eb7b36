const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escapeUnicode = (text: string) =>
  text.replaceAll(/[^a-z]/gi, (one) =>
    [...Array(one.length).keys()]
      .map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Encodings of a text within another one, which readers do not undo. */
export const ENCODINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) => encodeURIComponent(text).toLowerCase(),
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "percent-encoded, every byte": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "percent-encoded as a password of a URL": (text) => {
    const url = new URL("http://h");
    url.password = encodeURIComponent(text).replaceAll("%", "%25");
    return decodeURIComponent(url.password);
  },
  "a form's": (text) => new URLSearchParams({ text }).toString().slice(5),
  "JSON's": escapeJson,
  "JSON's, twice": (text) => escapeJson(escapeJson(text)),
  "JSON's, with numbers": escapeUnicode,
  "HTML's": escapeHtml,
  Base64: (text) => Buffer.from(text).toString("base64"),
  "Base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
  "Base64, percent-encoded": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

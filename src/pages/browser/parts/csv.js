/** Records of the API as comma-separated values (RFC 4180), the names of their fields in front. */
export function csvOf(records) {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return lines.map((line) => `${line.map(fieldOf).join(",")}\r\n`).join("");
}

/** Programs that calculate would run what begins like a formula: a name may be one. */
function fieldOf(value) {
  const text =
    typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

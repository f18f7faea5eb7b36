// Loading takes a second, in which an unhandled SIGHUP would end the process. The files are read afterwards.
const { CHAINS_FILE = "", LABELS_FILE = "" } = process.env;
if (process.argv.length === 2 && (CHAINS_FILE + LABELS_FILE).trim()) {
  process.on("SIGHUP", () => undefined);
}
await import("./command-line.ts");

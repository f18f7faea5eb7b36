// Loading takes a second, in which an unhandled SIGHUP would end the process. The file of chains is read afterwards.
if (process.argv.length === 2 && process.env["CHAINS_FILE"]?.trim()) {
  process.on("SIGHUP", () => undefined);
}
await import("./command-line.ts");

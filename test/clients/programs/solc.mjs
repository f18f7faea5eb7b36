// The compiler of the product as forge and crytic-compile call one: npm has it as JavaScript only.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(new URL("../../../package.json", import.meta.url))("solc");

if (process.argv.includes("--version")) {
  const version = solc.version().replace(/\.Emscripten.*$/, "");
  process.stdout.write(`solc, the solidity compiler\nVersion: ${version}.Linux.g++\n`);
} else {
  // Reads the files that the input names in the place of their text.
  const read = (file) => ({ contents: readFileSync(file, "utf8") });
  process.stdout.write(solc.compile(readFileSync(0, "utf8"), { import: read }));
}

// The compiler of the product as forge calls one: npm has it as JavaScript only.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(new URL("../../../package.json", import.meta.url))("solc");

if (process.argv.includes("--version")) {
  const version = solc.version().replace(/\.Emscripten.*$/, "");
  process.stdout.write(`solc, the solidity compiler\nVersion: ${version}.Linux.g++\n`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, "utf8")));
}

import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { softwareVersion } from "./core/software-version.ts";

// Run as a program by `npm pack`, this file writes `dist/`: src as JavaScript with the same folders
// and lines, because Node strips no types below node_modules.

const FROM = new URL("./", import.meta.url);
const TO = new URL("../dist/", import.meta.url);
const NOT_PACKED = ["prepack.ts"];
/** Names of files in import declarations, `import()` and `new URL()`. */
const SPECIFIERS = /(\bfrom |\bimport |\bimport\(|\bnew URL\()"(\.{1,2}\/[^"]+)\.ts"/g;

rmSync(TO, { recursive: true, force: true });
cpSync(FROM, TO, { recursive: true, filter: (name) => !name.endsWith(".ts") });
for (const name of ["bin.js", ...globSync("**/*.ts", { cwd: FROM, exclude: NOT_PACKED })]) {
  const text = readFileSync(new URL(name, FROM), "utf8");
  const plain = name.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
  const target = new URL(name.replace(/\.ts$/, ".js"), TO);
  writeFileSync(target, plain.replaceAll(SPECIFIERS, '$1"$2.js"'));
}
const { commit } = softwareVersion();
if (commit !== null) writeFileSync(new URL("commit", TO), commit);

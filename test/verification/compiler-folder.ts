import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

/** A folder of compilers as an operator fills one, over the compilers that npm installed for the tests. */
export interface CompilerFolder {
  path: string;
  remove(): void;
}

/** The compilers' own versions, by the number in the name of their package. */
const LONG_VERSIONS: Readonly<Record<string, string>> = {
  "0.4.6": "0.4.6+commit.2dabbdf0",
  "0.4.8": "0.4.8+commit.60cc1668",
  "0.4.11": "0.4.11+commit.68ef5810",
  "0.4.26": "0.4.26+commit.4563c3fc",
  "0.5.17": "0.5.17+commit.d19bba13",
  "0.6.12": "0.6.12+commit.27d51765",
  "0.7.6": "0.7.6+commit.7338295f",
  "0.8.7": "0.8.7+commit.e28d00a7",
  "0.8.18": "0.8.18+commit.87f61d96",
  "0.8.20": "0.8.20+commit.a1b79de6",
  "0.8.28": "0.8.28+commit.7893614a",
};

/** Creates the folder. */
export function createCompilerFolder(): CompilerFolder {
  const folder = mkdtempSync(path.join(os.tmpdir(), "periscope-test-compilers-"));
  const require = createRequire(import.meta.url);
  for (const [release, long] of Object.entries(LONG_VERSIONS)) {
    const file = require.resolve(`solc-${release}/soljson.js`);
    symlinkSync(file, path.join(folder, `soljson-v${long}.js`));
  }
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

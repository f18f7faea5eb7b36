import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installPython } from "../support/python.ts";

// Real compilers, from the Python Package Index: each release in a virtual environment of its own, kept beside this file.

/** A release of vyper. */
export interface Vyper {
  release: string;
  /** Its own version: `v0.3.10+commit.9136169`. */
  version: string;
}

/** Those of before 0.3.8 do not name newer Pythons as theirs, yet work. */
export const RELEASES = [
  ...["0.2.16", "0.3.0", "0.3.1", "0.3.2", "0.3.3", "0.3.4", "0.3.5", "0.3.6", "0.3.7", "0.3.8"],
  ...["0.3.9", "0.3.10", "0.4.0", "0.4.1", "0.4.2", "0.4.3"],
];

const HOME = path.join(import.meta.dirname, ".compilers");

/** Folder of compilers as an operator fills one. */
export const FOLDER = path.join(HOME, "programs");

/** Installs those releases that are not there yet; needs python3 with venv, and an index of packages. */
export function installVypers(): Vyper[] {
  mkdirSync(FOLDER, { recursive: true });
  return RELEASES.map(install);
}

function install(release: string): Vyper {
  const home = path.join(HOME, release);
  const packages = [`vyper==${release}`, "setuptools"];
  const program = path.join(installPython(home, packages, "--ignore-requires-python"), "vyper");
  const printed = execFileSync(program, ["--version"], { encoding: "utf8", stdio: "pipe" });
  const version = `v${printed.trim().split("\n").at(-1)}`;
  const file = path.join(FOLDER, `vyper-${version}`);
  writeFileSync(file, `#!/bin/sh\nexec '${program}' "$@"\n`);
  chmodSync(file, 0o755);
  return { release, version };
}

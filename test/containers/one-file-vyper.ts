import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installPython } from "../support/python.ts";

const HOME = path.join(import.meta.dirname, ".vyper");
const NAME = "vyper.0.4.3+commit.bff19ea2.linux";

/**
 * Returns the path of a compiler in the form of Vyper's releases: one file, made by PyInstaller, that unpacks itself where it is
 * run. It is made from the package on the Python Package Index and kept beside this file.
 */
export function oneFileVyper(): string {
  const file = path.join(HOME, "dist", NAME);
  if (existsSync(file)) return file;
  const programs = installPython(HOME, ["vyper==0.4.3", "pyinstaller", "setuptools"]);
  const main = path.join(HOME, "main.py");
  writeFileSync(
    main,
    "import sys\nfrom vyper.cli.vyper_compile import _parse_cli_args\nsys.exit(_parse_cli_args())\n",
  );
  const options = ["--onefile", "--copy-metadata=vyper", "--collect-all=vyper"];
  options.push("--collect-data=eth_utils", "--hidden-import=_cbor2", `--name=${NAME}`);
  execFileSync(path.join(programs, "pyinstaller"), [...options, main], {
    cwd: HOME,
    stdio: "pipe",
  });
  return file;
}

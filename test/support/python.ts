import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Creates a virtual environment of python3 with packages of the index, unless it is there; returns its folder of programs. */
export function installPython(home: string, packages: readonly string[], ...options: string[]) {
  const programs = path.join(home, "bin");
  const installed = path.join(home, "installed");
  if (!existsSync(installed)) {
    execFileSync("python3", ["-m", "venv", home], { stdio: "pipe" });
    const quiet = ["install", "--quiet", "--disable-pip-version-check"];
    execFileSync(path.join(programs, "pip"), [...quiet, ...options, ...packages], {
      stdio: "pipe",
    });
    writeFileSync(installed, packages.join("\n"));
  }
  return programs;
}

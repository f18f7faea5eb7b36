import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

export interface SoftwareVersion {
  version: string;
  /** Full hash in hex; null where neither git nor the build names one. */
  commit: string | null;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMIT = /^[0-9a-f]{40,64}$/;

/** Returns the version and commit of the running program. The commit comes from a clone's git, or from the file that a build left. */
export function softwareVersion(): SoftwareVersion {
  return { version: manifest.version, commit: readCommit() };
}

function readCommit(): string | null {
  try {
    const read = existsSync(`${ROOT}.git`)
      ? execFileSync("git", ["rev-parse", "HEAD"], {
          cwd: ROOT,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        })
      : readFileSync(`${ROOT}dist/commit`, "utf8");
    const commit = read.trim();
    return COMMIT.test(commit) ? commit : null;
  } catch {
    return null;
  }
}

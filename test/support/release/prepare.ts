// Prepares a release: the version, the section of the changelog, the data that tests of later versions upgrade, commit and tag.
//   npm run release -- 0.2.0

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { keepRelease } from "./make.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const BULLETS_MAXIMUM = 30;
const UNRELEASED = "## [Unreleased]\n";

const run = (program: string, ...parameters: string[]): string =>
  execFileSync(program, parameters, { cwd: ROOT, encoding: "utf8" });

/** Returns the changelog with what is unreleased under a version. Throws where there is nothing, or too much to read. */
export function closeSection(changelog: string, version: string, day: string): string {
  const [before, after] = changelog.split(UNRELEASED);
  if (after === undefined) throw new Error("CHANGELOG.md has no section [Unreleased]");
  const [section = ""] = after.split("\n## ");
  const bullets = section.match(/^- /gm)?.length ?? 0;
  if (bullets === 0 || bullets > BULLETS_MAXIMUM) {
    throw new Error(`[Unreleased] has ${bullets} entries: 1 to ${BULLETS_MAXIMUM} are readable`);
  }
  return `${before}${UNRELEASED}\n## [${version}] - ${day}\n${after}`;
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("npm run release -- <major.minor.patch>");
  if (run("git", "status", "--porcelain") !== "") throw new Error("commit the changes first");
  const file = path.join(ROOT, "CHANGELOG.md");
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(file, closeSection(readFileSync(file, "utf8"), version, day));
  run("npm", "version", version, "--no-git-tag-version");
  await keepRelease(version);
  run("git", "add", "--all");
  run("git", "commit", "--message", `chore(release): ${version}`);
  run("git", "tag", "--annotate", `v${version}`, "--message", `Periscope ${version}`);
}

// Prepares a release: the version, the section of the changelog, the data that tests of later versions upgrade, commit and tag.
//   npm run release -- 0.2.0

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { keepRelease } from "./make.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const BULLETS_MAXIMUM = 30;
/** Files that name the image's version. */
export const NAMING = [
  "Dockerfile",
  "docs/operations/kubernetes.md",
  "docs/operations/kubernetes/kustomization.yaml",
];
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

/** Returns the text of one of `NAMING` with the next version. Throws where it does not name the last one. */
export function renameImage(text: string, last: string, next: string): string {
  const named = /(periscope:|newTag: |VERSION=)(\d+\.\d+\.\d+)/g;
  const versions = [...text.matchAll(named)].map((match) => match[2]);
  if (versions.length === 0 || versions.some((version) => version !== last)) {
    throw new Error(`a file should name the image of ${last}, but names [${versions}]`);
  }
  return text.replaceAll(named, `$1${next}`);
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("npm run release -- <major.minor.patch>");
  if (run("git", "status", "--porcelain") !== "") throw new Error("commit the changes first");
  const file = path.join(ROOT, "CHANGELOG.md");
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(file, closeSection(readFileSync(file, "utf8"), version, day));
  const { version: last } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  for (const name of NAMING) {
    const naming = path.join(ROOT, name);
    writeFileSync(naming, renameImage(readFileSync(naming, "utf8"), last, version));
  }
  run("npm", "version", version, "--no-git-tag-version");
  await keepRelease(version);
  run("git", "add", "--all");
  run("git", "commit", "--message", `chore(release): ${version}`);
  run("git", "tag", "--annotate", `v${version}`, "--message", `Periscope ${version}`);
}

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { closeSection, NAMING, renameImage } from "../support/release/prepare.ts";

const BEFORE = "# Changelog\n\n## [Unreleased]\n\n- One.\n- Two.\n\n## [0.1.0]\n\n- First.\n";

test("a release takes the entries that were unreleased", () => {
  expect(closeSection(BEFORE, "0.2.0", "2026-11-27")).toBe(
    "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-27\n\n- One.\n- Two.\n\n## [0.1.0]\n\n- First.\n",
  );
});

test.each([
  ["no entry", 0],
  ["too many entries", 31],
])("a release with %s is refused", (_, count) => {
  const entries = "- One.\n".repeat(count);
  const changelog = BEFORE.replace("- One.\n- Two.\n", entries);
  expect(() => closeSection(changelog, "0.2.0", "2026-11-27")).toThrow(`${count} entries`);
});

test.each(NAMING)("%s names the image of the package's version, and then of the next", (name) => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const { version } = JSON.parse(read("package.json"));
  const renamed = renameImage(read(name), version, "99.0.0");
  expect(renamed).toMatch(/(periscope:|newTag: |VERSION=)99\.0\.0/);
  expect(renamed).not.toContain(version);
});

test("a file that names another version's image is refused", () => {
  expect(() => renameImage("newTag: 0.1.0", "0.2.0", "0.3.0")).toThrow("[0.1.0]");
});

import { expect, test } from "vitest";
import { closeSection } from "../support/release/prepare.ts";

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

import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { GENERATED, renderTable } from "../src/readme.ts";

const ROOT = path.join(import.meta.dirname, "..");

it.each(GENERATED)("docs/%s.md is as npm run readme writes it", (name) => {
  const text = readFileSync(path.join(ROOT, `docs/${name}.md`), "utf8");
  expect(text).toBe(renderTable(name, text));
});

it("the README is short enough to be read", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  expect(readme.split("\n").length).toBeLessThanOrEqual(161);
});

it("the links between the documents lead somewhere", () => {
  const documents = ["README.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: ROOT })];
  const dead = documents.flatMap((document) => {
    const text = readFileSync(path.join(ROOT, document), "utf8");
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map((match) => match[1] as string);
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(path.join(ROOT, path.dirname(document), link)))
      .map((link) => `${document}: ${link}`);
  });
  expect(dead).toEqual([]);
});

it("the commands of the README are scripts of the package", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [
    ...readme.matchAll(/npm (?:run )?(start|test(?::\w+)?|bench|check|fix|readme)\b/g),
  ];
  for (const [, script] of named) expect(Object.keys(manifest.scripts)).toContain(script);
});

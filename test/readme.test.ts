import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { GENERATED, renderTable } from "./make-tables.ts";

const ROOT = path.join(import.meta.dirname, "..");
const DOCUMENTS = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT });

/** Commands of npm itself. */
const NPM = ["ci", "install", "pack", "publish"];
/** Names of packages, and of files of the reader's own, that look like files of ours. */
const OTHERS = /^(?:postgres\.js|src\/Counter\.sol|lib\/base\/.*)$/;
const FOLDERS = readdirSync(path.join(ROOT, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** A path from the root, a path from src, or a name of a source file. */
const PATH = new RegExp(
  `^(?:(?:\\.ci|src|test|docs|migrations|${FOLDERS.join("|")})/[\\w./*-]*|[\\w./-]+\\.(?:ts|js|sol|sql))$`,
);

const read = (document: string) => readFileSync(path.join(ROOT, document), "utf8");

/** Returns the words of a document that are code: in backticks, in commands and in pictures. */
function codeIn(document: string): string[] {
  const text = read(document);
  const blocks = [...text.matchAll(/^```(?:sh|mermaid)\n(.*?)^```$/gms)];
  const spans = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g)];
  return [
    ...blocks.flatMap(([, block = ""]) => block.split(/\n/)),
    ...spans.map(([, s = ""]) => s),
  ];
}

/** Returns the paths that a document names and nothing has. */
function missingPaths(document: string): string[] {
  const names = codeIn(document)
    .flatMap((code) => code.split(/[\s"'<>()[\]{},;:=|@]+|\/$/))
    .filter((name) => PATH.test(name) && !OTHERS.test(name));
  return [...new Set(names)].filter((name) => {
    const places = ["", "src/**", "migrations", path.dirname(document)];
    return places.every((place) => globSync(path.join(place, name), { cwd: ROOT }).length === 0);
  });
}

function missingScripts(document: string): string[] {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = codeIn(document).flatMap((code) => [
    ...code.matchAll(/\bnpm (?:run (?:--silent )?)?([a-z][\w:-]*)/g),
  ]);
  const names = named.map(([, name = ""]) => name).filter((name) => !NPM.includes(name));
  return names.filter((name) => !(name in scripts));
}

it.each(GENERATED)("docs/%s.md is as npm run readme writes it", (name) => {
  const text = read(`docs/${name}.md`);
  expect(text).toBe(renderTable(name, text));
});

it("the README is short enough to be read", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(161);
});

it("the links between the documents lead somewhere", () => {
  const dead = DOCUMENTS.flatMap((document) => {
    const links = [...read(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
      (match) => match[1] as string,
    );
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(path.join(ROOT, path.dirname(document), link)))
      .map((link) => `${document}: ${link}`);
  });
  expect(dead).toEqual([]);
});

it.each(DOCUMENTS)("%s names files and scripts that there are", (document) => {
  expect({ paths: missingPaths(document), scripts: missingScripts(document) }).toEqual({
    paths: [],
    scripts: [],
  });
});

it("names are found in pictures, in commands and in sentences", () => {
  const found = [...codeIn("docs/architecture.md"), ...codeIn("docs/contributing.md")].join("\n");
  for (const name of ["indexer/publish.ts", "npm run readme"]) expect(found).toContain(name);
});

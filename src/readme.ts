import { readFileSync, writeFileSync } from "node:fs";
import { registry } from "./api/explorer/registry.ts";
import { describeParameters } from "./api/openapi/parameters.ts";
import { type Setting, settings } from "./settings/config.ts";

// Run as a program (`npm run readme`), this file writes the generated tables of the README.

const PARTS = { actions: renderActions, settings: renderSettings };
const README = new URL("../README.md", import.meta.url);

/** The text with its generated parts up to date: what is between `<!-- name -->` and `<!-- /name -->`. */
export function renderParts(text: string): string {
  return Object.entries(PARTS).reduce((whole, [name, render]) => {
    const [before, rest = ""] = whole.split(`<!-- ${name} -->`);
    const [, after] = rest.split(`<!-- /${name} -->`);
    if (after === undefined) throw new Error(`the text has no part of the name ${name}`);
    return `${before}<!-- ${name} -->\n${render()}\n<!-- /${name} -->${after}`;
  }, text);
}

/** What each action answers, and its required parameters. */
function renderActions(): string {
  const rows = Object.entries(registry).flatMap(([module, actions]) =>
    actions.map((action) => {
      const needed = describeParameters(action, action.dialect ?? "blockscout")
        .filter(({ required }) => required)
        .map(({ name }) => `\`${name}\``);
      return `| \`${module}\` | \`${action.name}\` | ${action.summary}${action.dialect === "etherscan" ? "; under `/v2/api` only" : ""} | ${needed.join(" ")} |`;
    }),
  );
  return table(["Module", "Action", "Answer", "Required"], rows);
}

function renderSettings(): string {
  const current = Object.entries<Setting>(settings).filter(([, { retired }]) => !retired);
  const rows = current.map(([name, setting]) => {
    const value = setting.default === undefined ? "" : `\`${setting.default}\``;
    return `| \`${name}\` | ${value} | ${setting.meaning} |`;
  });
  return table(["Setting", "Default", "Meaning"], rows);
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows].join("\n");
}

if (import.meta.main) writeFileSync(README, renderParts(readFileSync(README, "utf8")));

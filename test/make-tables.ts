import { readFileSync, writeFileSync } from "node:fs";
import { registry } from "../src/api/explorer/registry.ts";
import { describeParameters } from "../src/api/openapi/schemas.ts";
import { type Setting, settings } from "../src/settings/config.ts";

// Run as a program (`npm run readme`), this file writes the generated tables of docs/settings.md and docs/actions.md.

const RENDERERS = { actions: renderActions, settings: renderSettings };
export const GENERATED = Object.keys(RENDERERS) as (keyof typeof RENDERERS)[];

/** Returns the document `docs/<name>.md` with its table, between `<!-- name -->` and `<!-- /name -->`, up to date. */
export function renderTable(name: keyof typeof RENDERERS, text: string): string {
  const [before, rest = ""] = text.split(`<!-- ${name} -->`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  if (after === undefined) throw new Error(`docs/${name}.md has no part of the name ${name}`);
  return `${before}<!-- ${name} -->\n${RENDERERS[name]()}\n<!-- /${name} -->${after}`;
}

/** Returns the table of the actions with their required parameters. */
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
  const rows = Object.entries<Setting>(settings).map(([name, [, meaning, standard]]) => {
    const value = standard === undefined ? "" : `\`${standard}\``;
    return `| \`${name}\` | ${value} | ${meaning} |`;
  });
  return table(["Setting", "Default", "Meaning"], rows);
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows].join("\n");
}

if (import.meta.main) {
  for (const name of GENERATED) {
    const file = new URL(`../docs/${name}.md`, import.meta.url);
    writeFileSync(file, renderTable(name, readFileSync(file, "utf8")));
  }
}

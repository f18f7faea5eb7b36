import { z } from "zod";
import type { Action } from "./action.ts";
import { registry } from "./registry.ts";

/** Query of an action's example, ready to be put behind `/api?`. */
function exampleQuery(module: string, action: Action): string {
  return new URLSearchParams({ module, action: action.name, ...action.example }).toString();
}

/** Names of the parameters that an action cannot do without. */
export function requiredParameters(action: Action): ReadonlySet<string> {
  const schema = z.toJSONSchema(action.params, { io: "input" });
  return new Set(schema.required);
}

/** Table of all actions in Markdown: what it answers, its parameters (optional ones in brackets), an example. */
export function renderActionTable(): string {
  const rows = Object.entries(registry).flatMap(([module, actions]) =>
    actions.map((action) => {
      const required = requiredParameters(action);
      const parameters = Object.keys(action.params.shape).map((name) =>
        required.has(name) ? `\`${name}\`` : `[\`${name}\`]`,
      );
      const example = `\`/api?${exampleQuery(module, action)}\``;
      return `| ${module} | \`${action.name}\` | ${parameters.join(" ")} | ${action.summary} | ${example} |`;
    }),
  );
  const head = [
    "| Module | Action | Parameters | Answer | Example |",
    "| --- | --- | --- | --- | --- |",
  ];
  return [...head, ...rows].join("\n");
}

import { z } from "zod";
import type { Action } from "./action.ts";
import { registry } from "./registry.ts";

/** Query of an action's example, ready to be put behind `/api?`. */
export function exampleQuery(module: string, action: Action): string {
  return new URLSearchParams({ module, action: action.name, ...action.example }).toString();
}

/** Names of the parameters that an action cannot do without. */
export function requiredParameters(action: Action): ReadonlySet<string> {
  const schema = z.toJSONSchema(action.params, { io: "input" });
  return new Set(schema.required);
}

/** Table of all actions in Markdown: module, action, parameters (optional ones in brackets), summary. */
export function renderActionTable(): string {
  const rows = Object.entries(registry).flatMap(([module, actions]) =>
    actions.map((action) => {
      const required = requiredParameters(action);
      const parameters = Object.keys(action.params.shape).map((name) =>
        required.has(name) ? `\`${name}\`` : `[\`${name}\`]`,
      );
      return `| ${module} | \`${action.name}\` | ${parameters.join(" ")} | ${action.summary} |`;
    }),
  );
  return ["| Module | Action | Parameters | Answer |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

import { z } from "zod";
import { type Action, paramsIn } from "../explorer/action.ts";
import type { Dialect } from "../explorer/envelope.ts";
import type { JsonSchema } from "./schemas.ts";

/** Describes an action's parameters, in the order in which they are checked. */
export function describeParameters(action: Action, dialect: Dialect) {
  const params = paramsIn(action, dialect);
  const { properties = {}, required = [] } = z.toJSONSchema(params, { io: "input" });
  const defaults = dialect === "etherscan" ? action.etherscanDefaults : undefined;
  const needed = new Set([...required, ...(action.required ?? [])]);
  return Object.entries(properties).map(([name, property]) => {
    const { description = "", ...schema } = property as { description?: string };
    // zod lacks the default of a schema that transforms.
    const { data } = params.shape[name]?.safeParse(undefined) ?? {};
    const standard = defaults?.[name] ?? (typeof data === "object" ? undefined : data);
    return {
      name,
      description,
      required: needed.has(name) && defaults?.[name] === undefined,
      /** JSON Schema of the sent value, with its default. */
      schema: { ...schema, ...(standard !== undefined && { default: standard }) } as JsonSchema,
      /** A value of the sample chain, if the example has one. */
      example: toExample(action.example[name], schema),
    };
  });
}

/** Returns an example, as a number where the schema has one; examples are sent as text. */
function toExample(example: string | undefined, schema: JsonSchema): unknown {
  const isNumber = example !== undefined && /^\d+$/.test(example) && takesInteger(schema);
  return isNumber ? Number(example) : example;
}

function takesInteger({ type, anyOf }: JsonSchema): boolean {
  return type === "integer" || (Array.isArray(anyOf) && anyOf.some(takesInteger));
}

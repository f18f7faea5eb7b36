import { describeApi } from "../../src/api/openapi/document.ts";

/** An operation of the API's document, as far as its example is asked for. */
export interface ExampleOperation {
  /** The path of the document, with names of parameters in it. */
  route: string;
  method: string;
  operation: {
    parameters?: { name: string; in: string; example?: unknown }[];
    requestBody?: {
      content: Record<
        string,
        { schema: { required?: string[] }; example?: Record<string, unknown> }
      >;
    };
    responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
  };
}

/** All operations of the document, in its order. */
export function listOperations(): ExampleOperation[] {
  return Object.entries(describeApi({ version: "1.2.3" }).paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route,
      method,
      operation: operation as ExampleOperation["operation"],
    })),
  );
}

/** Returns whether a path is an action's, of either dialect. */
export function isAction(route: string): boolean {
  return /^\/(?:v2\/)?api\/\w+\/\w+$/.test(route);
}

/** The documented JSON body; undefined where there is none. */
export function bodyOf({
  requestBody,
}: ExampleOperation["operation"]): Record<string, unknown> | undefined {
  return requestBody?.content["application/json"]?.example;
}

/** Asks a server for the documented example. */
export async function askExample(
  origin: string,
  { route, method, operation }: ExampleOperation,
): Promise<{ httpStatus: number; text: string }> {
  const given = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
  const query = given.filter((parameter) => parameter.in === "query");
  const url = given
    .filter((parameter) => parameter.in === "path")
    .reduce((whole, { name, example }) => whole.replace(`{${name}}`, String(example)), route);
  const text = new URLSearchParams(
    query.map(({ name, example }): [string, string] => [name, String(example)]),
  );
  const body = bodyOf(operation);
  const response = await fetch(`${origin}${url}?${text}`, {
    method: method.toUpperCase(),
    redirect: "manual",
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { httpStatus: response.status, text: await response.text() };
}

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderActionTable } from "../../src/api/action-table.ts";
import { describeApi } from "../../src/api/openapi.ts";
import { registry } from "../../src/api/registry.ts";
import { createTestApp, type TestApp } from "../support/app.ts";

interface Operation {
  operationId: string;
  parameters: { name: string; required: boolean; schema: Record<string, unknown> }[];
}

const actions = Object.entries(registry).flatMap(([module, list]) =>
  list.map((action) => [module, action.name] as const),
);
const document = describeApi({ version: "1.2.3" });

function operation(path: string): Operation {
  const { get, post } = (document.paths as Record<string, Record<string, Operation>>)[path] ?? {};
  const described = get ?? post;
  if (!described) throw new Error(`${path} is not described`);
  return described;
}

describe("the document", () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await createTestApp();
  });
  afterAll(() => server.close());

  test("is served as JSON", async () => {
    const response = await server.app.inject("/openapi.json");
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    const { openapi, info, paths } = response.json();
    expect(openapi).toBe("3.1.0");
    expect(info.version).toBe("0.0.0-test");
    expect(Object.keys(paths)).toEqual(Object.keys(document.paths));
  });
});

test.each(actions)("%s/%s is described in both dialects", (module, name) => {
  for (const base of ["/api", "/v2/api"]) {
    expect(operation(`${base}?module=${module}&action=${name}`)).toMatchObject({
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      responses: { 200: { content: { "application/json": { schema: expect.anything() } } } },
    });
  }
});

test("operations have names of their own", () => {
  const ids = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
});

test("parameters tell whether they are required, and what they default to in their dialect", () => {
  const path = "?module=block&action=getblocknobytime";
  const closest = (base: string) =>
    operation(`${base}${path}`).parameters.find(({ name }) => name === "closest");
  expect(closest("/api")).toMatchObject({
    required: true,
    schema: { type: "string", enum: ["before", "after"] },
  });
  expect(closest("/v2/api")).toMatchObject({ required: false, schema: { default: "before" } });
});

test("sources are sent as a form, which has files where the action takes them", () => {
  const { "/api?module=contract&action=verify_via_sourcify": action } = document.paths as Record<
    string,
    { post: object }
  >;
  expect(action?.post).toMatchObject({
    parameters: [],
    requestBody: {
      content: {
        "multipart/form-data": {
          schema: {
            properties: {
              addressHash: { example: expect.stringMatching(/^0x/) },
              files: { type: "array", items: { type: "string", format: "binary" } },
            },
          },
        },
      },
    },
  });
});

test("the table for readers has a line for each action, optional parameters in brackets", () => {
  const lines = renderActionTable().split("\n");
  expect(lines).toHaveLength(actions.length + 2);
  expect(lines).toContain(
    "| block | `getblocknobytime` | `timestamp` `closest` | Number of the block nearest before or after a time | `/api?module=block&action=getblocknobytime&timestamp=4000000000&closest=before` |",
  );
  expect(lines.find((line) => line.includes("`dailytx`"))).toContain(
    "| `startdate` `enddate` [`sort`] |",
  );
});

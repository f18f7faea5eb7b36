import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { forDialect } from "../../../src/api/explorer/envelope.ts";
import { actionsIn, moduleSummaries, registry } from "../../../src/api/explorer/registry.ts";
import answers from "../../../src/api/openapi/answers.json" with { type: "json" };
import { type ApiDocument, describeApi } from "../../../src/api/openapi/document.ts";
import { otherRoutes } from "../../../src/api/openapi/other-routes.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: {
    name: string;
    description: string;
    required: boolean;
    schema: Record<string, unknown>;
  }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown>; example?: object }> };
  responses: Record<string, unknown>;
}

const actions = Object.entries(registry).flatMap(([module, list]) =>
  list.map((action) => [module, action.name, action] as const),
);
const recorded: Readonly<Record<string, unknown>> = answers;
const document: ApiDocument = describeApi({ version: "1.2.3" });
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as Operation,
  })),
);

function operation(path: string): Operation {
  const found = operations.find((each) => each.path === path);
  if (!found) throw new Error(`${path} is not described`);
  return found.operation;
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

  test("describes routes that there are, by their methods", () => {
    for (const { path, method } of operations) {
      const [, base, rest] = /^(\/api|\/v2\/api)\/(\w+\/\w+)$/.exec(path) ?? [];
      const url =
        rest === undefined || path === "/api/eth-rpc"
          ? path.replaceAll(/\{(\w+)\}/g, ":$1")
          : `${base}/:module/:action`;
      expect([path, server.app.hasRoute({ method: method.toUpperCase() as "GET", url })]).toEqual([
        path,
        true,
      ]);
    }
  });
});

test.each(actions)("%s/%s is described in its dialects", (module, name, action) => {
  for (const base of action.dialect === "etherscan" ? ["/v2/api"] : ["/api", "/v2/api"]) {
    expect(operation(`${base}/${module}/${name}`)).toMatchObject({
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      responses: { 200: { content: { "application/json": { schema: expect.anything() } } } },
    });
  }
  expect(Object.keys(action.example).filter((each) => !(each in action.params.shape))).toEqual([]);
});

describe("recorded answers", () => {
  const dialects = [
    ["/api", "blockscout"],
    ["/v2/api", "etherscan"],
  ] as const;

  test.each(
    dialects.flatMap(([base, dialect]) =>
      actionsIn(dialect).map(({ module, action }) => ({
        path: `${base}/${module}/${action.name}`,
        dialect,
        action,
      })),
    ),
  )("$path shows one that is of its schema", ({ path, dialect, action }) => {
    const answer = recorded[path] as { status?: string; error?: unknown; result: unknown };
    expect(document.paths[path]).toMatchObject(
      Object.fromEntries(
        Object.keys(document.paths[path] ?? {}).map((method) => [
          method,
          { responses: { 200: { content: { "application/json": { example: answer } } } } },
        ]),
      ),
    );
    const isFailure = answer.status === "0" || answer.error !== undefined;
    const schema = isFailure ? z.unknown() : forDialect(action.result, dialect);
    expect(schema.safeParse(answer.result).error).toBeUndefined();
  });

  test("there are no others", () => {
    const paths = dialects.flatMap(([base, dialect]) =>
      actionsIn(dialect).map(({ module, action }) => `${base}/${module}/${action.name}`),
    );
    expect(Object.keys(recorded).sort()).toEqual(paths.sort());
  });
});

test("every parameter and every field of a body has words for people", () => {
  for (const { path, operation: each } of operations) {
    const fields = Object.values(each.requestBody?.content ?? {}).flatMap(({ schema }) =>
      Object.entries((schema["properties"] ?? {}) as Record<string, { description?: string }>),
    );
    const described = [
      ...(each.parameters ?? []).map(({ name, description }) => [name, description] as const),
      ...fields.map(([name, { description }]) => [name, description] as const),
    ];
    for (const [name, description] of described) {
      expect([path, name, description]).toEqual([
        path,
        name,
        expect.stringMatching(/^[A-Z`].*[^.\s]$/),
      ]);
    }
  }
});

test("operations have names of their own, and tags that are described", () => {
  const ids = operations.map(({ operation: { operationId } }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const { tags } = document as unknown as { tags: { name: string; description: string }[] };
  const names = tags.map(({ name }) => name);
  expect(Object.keys(moduleSummaries)).toEqual(Object.keys(registry));
  for (const { operation: each } of operations)
    expect(names).toEqual(expect.arrayContaining(each.tags));
});

test("every reference leads somewhere, and every component is referred to", () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(document.components.schemas).sort()).toEqual([...new Set(names)].sort());
});

test("parameters tell whether they are required, and what they default to in their dialect", () => {
  const closest = (base: string) =>
    operation(`${base}/block/getblocknobytime`).parameters?.find(({ name }) => name === "closest");
  expect(closest("/api")).toMatchObject({
    required: true,
    schema: { type: "string", enum: ["before", "after"] },
  });
  expect(closest("/v2/api")).toMatchObject({ required: false, schema: { default: "before" } });
  const page = operation("/api/account/txlist").parameters?.find(({ name }) => name === "offset");
  expect(page?.schema).toEqual({ type: "integer", minimum: 1, maximum: 10_000, default: 10_000 });
});

test("a submission tells what it cannot do without, in JSON and as a form", () => {
  const { requestBody } = operation("/api/contract/verify");
  const required = ["addressHash", "name", "compilerVersion", "contractSourceCode", "optimization"];
  expect(requestBody?.content["application/json"]).toMatchObject({ schema: { required } });
  expect(requestBody?.content["multipart/form-data"]).toMatchObject({ schema: { required } });
});

test("sources with metadata are texts by name in JSON, and files in a form", () => {
  const { requestBody } = operation("/api/contract/verify_via_sourcify");
  expect(requestBody?.content["application/json"]?.schema).toMatchObject({
    properties: { files: { type: "object", additionalProperties: { type: "string" } } },
    required: ["addressHash", "files"],
  });
  expect(requestBody?.content["multipart/form-data"]?.schema).toMatchObject({
    properties: { "files[]": { type: "array", items: { type: "string", format: "binary" } } },
    required: ["addressHash", "files[]"],
  });
});

test("the routes that are no actions are described, too", () => {
  expect(otherRoutes.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["/api/eth-rpc", "/health", "/metrics"]),
  );
  for (const { path } of otherRoutes) expect(document.paths).toHaveProperty([path]);
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeApi } from "../../src/api/openapi/document.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { runProgram } from "./program.ts";

interface Operation {
  parameters?: { name: string; in: string; example?: unknown }[];
  responses: object;
  requestBody?: { content: Record<string, { example?: object }> };
}

/** Beside the installed packages, so that the generated program finds them. */
const FOLDER = path.join(import.meta.dirname, "generated");

const document = describeApi({ version: "1.2.3" });
const operations = Object.entries(document.paths)
  .flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route,
      method: method.toUpperCase(),
      operation: operation as Operation,
    })),
  )
  // Sourcify's submissions have no example of their own; test/api/sourcify tries them.
  .filter(({ operation: { requestBody } }) => !requestBody || exampleOf(requestBody));

let data: string;
let periscope: Periscope;
beforeAll(async () => {
  data = await mkdtemp(path.join(os.tmpdir(), "periscope-typed-"));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  periscope = startPeriscope({ DATA_DIR: data });
});
afterAll(async () => {
  await periscope.end();
  await rm(data, { recursive: true, force: true });
});

test("a typed client calls every operation with the document's own examples", async () => {
  await writeFile(path.join(FOLDER, "openapi.json"), JSON.stringify(document));
  const types = ["openapi.json", "--output", "api.d.ts"];
  expect(await runProgram("openapi-typescript", types, FOLDER)).toMatchObject({ exitCode: 0 });
  await writeFile(path.join(FOLDER, "calls.ts"), programOf());
  // TypeScript holds the examples to the types of the parameters, and the answers to those of the results.
  const flags = "--noEmit --strict --target es2022 --module nodenext --skipLibCheck --types node";
  const roots = ["--typeRoots", "../../../node_modules/@types"];
  const typed = await runProgram("tsc", [...flags.split(" "), ...roots, "calls.ts"], FOLDER);
  expect(typed.text).toBe("");

  const origin = new URL((await periscope.ready).api).origin;
  const called = await runProgram(process.execPath, ["calls.ts", origin], FOLDER);
  const answers = JSON.parse(called.text.slice(called.text.lastIndexOf("\n[") + 1)) as Called[];
  expect(answers).toHaveLength(operations.length);
  // Sourcify's dialect reports by its HTTP status that a contract is verified already, or a body is missing.
  const explorer = answers.filter(({ route }) => !route.startsWith("/sourcify/"));
  expect(explorer.filter(({ httpStatus }) => httpStatus !== 200)).toEqual([]);
  const reading = answers.filter(({ status }) => status !== undefined);
  expect(reading.length).toBeGreaterThan(130);
  expect(reading.filter(({ status }) => status === "1").length).toBeGreaterThan(120);
});

function exampleOf(body: NonNullable<Operation["requestBody"]>): object | undefined {
  return body.content["application/json"]?.example;
}

interface Called {
  route: string;
  httpStatus: number;
  status?: string;
}

function programOf(): string {
  const calls = operations.map(({ route, method, operation }) => {
    const given = (place: string) =>
      Object.fromEntries(
        (operation.parameters ?? [])
          .filter((parameter) => parameter.in === place && parameter.example !== undefined)
          .map(({ name, example }) => [name, example]),
      );
    const [query, path] = [given("query"), given("path")];
    const params = {
      ...(Object.keys(query).length > 0 && { query }),
      ...(Object.keys(path).length > 0 && { path }),
    };
    const body = operation.requestBody && exampleOf(operation.requestBody);
    // A redirect leads to a page for people.
    const isText = route === "/metrics" || "302" in operation.responses;
    const options = {
      ...(Object.keys(params).length > 0 && { params }),
      ...(body && { body }),
      ...(isText && { parseAs: "text" }),
    };
    return `note(${JSON.stringify(route)}, await client.${method}(${JSON.stringify(route)}, ${JSON.stringify(options)}));`;
  });
  return `import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const answers: object[] = [];

function note(route: string, { data, response }: { data?: unknown; response: Response }): void {
  const status = (data as { status?: string } | undefined)?.status;
  answers.push({ route, httpStatus: response.status, status });
}

// A client that reads the status knows the type of the result.
const { data: list } = await client.GET("/api/account/txlist", {
  params: { query: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9", page: 1, offset: 2 } },
});
if (list?.status === "1") {
  const [first]: components["schemas"]["BlockscoutTransaction"][] = list.result;
  const hash: string | undefined = first?.hash;
  if (!hash?.startsWith("0x")) throw new Error("no hash");
}

${calls.join("\n")}
console.log("\\n" + JSON.stringify(answers));
`;
}

import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import { errorHeaderFault } from "./error-header.ts";

const FOLDER = new URL("../fixtures/responses/", import.meta.url);

/**
 * Requests and compares the answer, key order included, with `test/fixtures/responses/<name>.json`,
 * a file with request, HTTP status and body. `npx vitest run -u` writes different and missing ones.
 */
export async function expectGolden(app: FastifyInstance, name: string, url: string): Promise<void> {
  const response = await app.inject(url);
  const { statusCode, headers } = response;
  const fault = errorHeaderFault(statusCode, headers["x-periscope-error"], response.json());
  expect(fault).toBeUndefined();
  const exchange = { request: url, status: response.statusCode, body: response.json() };
  const file = new URL(`${name}.json`, FOLDER);
  await expect(`${JSON.stringify(exchange, null, 2)}\n`).toMatchFileSnapshot(file.pathname);
}

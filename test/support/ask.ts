import type { FastifyInstance } from "fastify";

/** An answer of the API, parsed. */
export interface Answer {
  httpStatus: number;
  status: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever the action gives
  result: any;
}

/** Asks an action by its query (`module=…&action=…`); `path` decides on the dialect. */
export async function ask(
  app: FastifyInstance,
  query: string,
  path: "/api" | "/v2/api" = "/api",
): Promise<Answer> {
  const response = await app.inject(`${path}?${query}`);
  return { httpStatus: response.statusCode, ...response.json() };
}

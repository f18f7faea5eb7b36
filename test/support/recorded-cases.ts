import type { FastifyInstance } from "fastify";
import { describe, test } from "vitest";
import { actionsOf } from "../../src/api/registry.ts";
import { expectGolden } from "./golden.ts";

/** Queries by the name of the case, by action. */
export type RecordedCases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Declares a test per case: the answers of the dialects that have the module are those in
 * `test/fixtures/responses/<module>/<action>/`.
 */
export function recordedCases(
  app: () => FastifyInstance,
  module: string,
  cases: RecordedCases,
): void {
  describe.each(Object.entries(cases))("%s", (action, queries) => {
    test.each(Object.entries(queries))("answers as recorded: %s", async (name, query) => {
      const file = `${module}/${action}/${name.replaceAll(/[^a-z0-9]+/gi, "-")}`;
      const request = `module=${module}&action=${action}${query && `&${query}`}`;
      if (actionsOf(module, "blockscout")) {
        await expectGolden(app(), `${file}.blockscout`, `/api?${request}`);
      }
      await expectGolden(app(), `${file}.etherscan`, `/v2/api?${request}`);
    });
  });
}

import type { FastifyInstance } from "fastify";
import { describe, test } from "vitest";
import { actionsIn } from "../../src/api/explorer/registry.ts";
import { expectGolden } from "./golden.ts";

/** Queries by the name of the case, by action. */
export type RecordedCases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Cases of the lists by both parties. Source: docs/wire.md, "Lists by both parties". */
export function partyCases(from: string, to: string): RecordedCases[string] {
  return {
    "from one to another": `from=${from}&to=${to}&fromto_opr=AND`,
    "bad from": "from=0x12",
    "bad to": "to=0x12",
    "no operator": `from=${from}&to=${to}`,
    "bad operator": `from=${from}&to=${to}&fromto_opr=xor`,
    "an address and a party": `address=${from}&to=${to}`,
  };
}

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
      if (actionsIn("blockscout").some((each) => each.module === module)) {
        await expectGolden(app(), `${file}.blockscout`, `/api?${request}`);
      }
      await expectGolden(app(), `${file}.etherscan`, `/v2/api?${request}`);
    });
  });
}

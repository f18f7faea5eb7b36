import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { describeApi } from "../../src/api/openapi/document.ts";
import { runProgram } from "./program.ts";

/** Endpoints that only redirect have no answer of their own. */
const TAKEN = "operation-2xx-response";

test("Redocly's recommended rules find nothing but redirects", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-lint-"));
  await writeFile(
    path.join(folder, "openapi.json"),
    JSON.stringify(describeApi({ version: "1.2.3" })),
  );
  const args = ["lint", "openapi.json", "--extends=recommended", "--format=json"];
  const { text } = await runProgram("redocly", args, folder);
  const { totals, problems } = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  const found = (problems as { ruleId: string }[]).filter(({ ruleId }) => ruleId !== TAKEN);
  expect(found).toEqual([]);
  expect(totals).toMatchObject({ errors: 0 });
  await rm(folder, { recursive: true });
});

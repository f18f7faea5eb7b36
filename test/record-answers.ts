import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { askExample, isAction, listOperations } from "./support/example-requests.ts";
import { startSampleWorld } from "./support/sample-world.ts";
import { shorten } from "./support/short-answer.ts";

// Run as a program (`npm run examples`), this file records what the API's document shows as answers: each action of each
// dialect is asked its example at the first start, where the sample world has data for it. A recorded answer stays as long
// as a new one differs from it in its values alone.

const FILE = new URL("../src/api/openapi/answers.json", import.meta.url);

const recorded = JSON.parse(await readFile(FILE, "utf8")) as Record<string, unknown>;
const answers: Record<string, unknown> = {};
// A world each: a contract verified under one dialect is verified already under the other.
for (const base of ["/api/", "/v2/api/"]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-answers-"));
  const world = await startSampleWorld(folder);
  try {
    for (const operation of listOperations()) {
      if (!isAction(operation.route) || !operation.route.startsWith(base)) continue;
      const { text } = await askExample(world.origin, operation);
      const answer: unknown = shorten(JSON.parse(text));
      const before = recorded[operation.route];
      answers[operation.route] = formOf(answer) === formOf(before) ? before : answer;
    }
  } finally {
    await world.end();
    await rm(folder, { recursive: true, force: true });
  }
}
await writeFile(FILE, `${JSON.stringify(answers, null, 2)}\n`);

/** The keys of an answer and the kinds of its values, as text. */
function formOf(answer: unknown): string {
  return JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === "object" ? value : typeof value,
  );
}

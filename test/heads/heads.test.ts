import { expect, test } from "vitest";
import { registry } from "../../src/api/explorer/registry.ts";
import { askAtEveryHead, COMPARED, type Findings } from "../support/heads.ts";

/** HEADS of them from the seed HEADS_SEED. */
const HEADS = Number(process.env["HEADS"] ?? 2_000);
const SEED = Number(process.env["HEADS_SEED"] ?? 1);

let said = 0;

/** Reports the counts, and faults since the last report. */
function say({ wrong, ...counts }: Findings): void {
  process.stdout.write(`${JSON.stringify({ ...counts, wrong: wrong.length })}\n`);
  for (const one of wrong.slice(said)) process.stdout.write(`${JSON.stringify(one)}\n`);
  said = wrong.length;
}

test(`${HEADS} heads, each asked at once for everything that an oracle knows`, async () => {
  const actions = Object.entries(registry).flatMap(([module, own]) =>
    own.map(({ name }) => `${module}/${name}`),
  );
  const others = actions.filter((name) => !COMPARED.includes(name.toLowerCase()));
  process.stdout.write(`${COMPARED.length} actions; not compared: ${others.join(", ")}\n`);
  const { wrong } = await askAtEveryHead(HEADS, SEED, say);
  expect(wrong.slice(0, 5)).toEqual([]);
});

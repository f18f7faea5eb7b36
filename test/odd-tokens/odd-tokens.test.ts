import { expect, it } from "vitest";
import { describe, type RunOptions, runOddTokens } from "./run.ts";

/** ODD_ACTS of each run from the seed ODD_SEED. */
const ACTS = Number(process.env["ODD_ACTS"] ?? 2_000);
const SEED = Number(process.env["ODD_SEED"] ?? 1);
/** Time limits of lists, in seconds: where an event names the token, and where none does. */
const [NAMED_S = 30, HIDDEN_S = 180] = (process.env["ODD_PATIENCE"] ?? "30,180")
  .split(",")
  .map(Number);

it.each<Pick<RunOptions, "traces" | "hardfork">>([
  { traces: true, hardfork: "prague" },
  { traces: true, hardfork: "shanghai" },
  { traces: false, hardfork: "prague" },
])("odd tokens are served as their contracts answer: %j", async (options) => {
  const all: RunOptions = {
    ...options,
    seed: SEED,
    acts: ACTS,
    patience: { named: 1_000 * NAMED_S, hidden: 1_000 * HIDDEN_S },
  };
  const report = await runOddTokens(all);
  process.stdout.write(`${describe(all, report)}\n${JSON.stringify(report.wrong, null, 1)}\n`);
  expect(report.wrong).toEqual({});
});

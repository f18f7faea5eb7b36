import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Attack, AttackWorld, Level } from "./attack.ts";
import { startAttackWorld } from "./attack-world.ts";

// One attack a file, named by its kind. Each is tried on a real chain, and its honest twin after it.

const LEVELS: readonly Level[] = ["none", "partial", "full"];
const FOLDER = new URL(".", import.meta.url);
const KINDS =
  /^(?:auxdata|immutables|constructors|libraries|arguments|names|files|yul|old|settings|size)-.*(?<!\.test)\.ts$/;

const names = readdirSync(FOLDER).filter((name) => KINDS.test(name));

let world: AttackWorld & { stop(): Promise<void> };

beforeAll(async () => {
  world = await startAttackWorld();
});

afterAll(() => world.stop());

test.each(names.sort())("%s", async (name) => {
  const { default: it } = (await import(new URL(name, FOLDER).href)) as { default: Attack };
  const attacked = await it.attack(world);
  const allowed = LEVELS.slice(0, 1 + LEVELS.indexOf(it.atMost ?? "none"));
  expect(allowed, it.title).toContain(attacked.level);
  if (it.reason !== undefined) expect(attacked.reason).toMatch(it.reason);
  const honest = await it.honest(world);
  expect(honest, it.title).toMatchObject({ level: it.reaches ?? "full", reason: "" });
  it.check?.(attacked, honest);
});

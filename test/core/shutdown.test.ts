import { expect, test } from "vitest";
import { createShutdown } from "../../src/core/shutdown.ts";

test("closes the parts once, last first, after the signal, whatever one of them does", async () => {
  const closed: string[] = [];
  const failed: string[] = [];
  const shutdown = createShutdown((name, error) => failed.push(`${name}: ${error}`));
  for (const name of ["database", "node", "server"]) {
    shutdown.add(name, async () => {
      expect(shutdown.signal.aborted).toBe(true);
      closed.push(name);
      if (name === "node") throw new Error("gone");
    });
  }
  expect(shutdown.signal.aborted).toBe(false);
  await Promise.all([shutdown.close(), shutdown.close()]);
  expect(closed).toEqual(["server", "node", "database"]);
  expect(failed).toEqual(["node: Error: gone"]);
});

test("closes also what is added while it closes", async () => {
  const shutdown = createShutdown(() => {});
  const closed: string[] = [];
  shutdown.add("first", () => {
    shutdown.add("late", () => {
      closed.push("late");
    });
  });
  await shutdown.close();
  expect(closed).toEqual(["late"]);
});

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { readableLine } from "../../src/telemetry/logger.ts";

function line(record: Parameters<typeof readableLine>[0]): string {
  return stripVTControlCharacters(readableLine(record));
}

const time = "2026-03-01T12:30:05.123Z";

test("an ordinary record is its time and message", () => {
  expect(line({ level: "info", time, msg: "Periscope starts" })).toBe("12:30:05 Periscope starts");
});

test("fields follow the message, and other levels go before it", () => {
  const record = { level: "warn", time, msg: "slow", node: "a:1", ms: 12, urls: ["x"] };
  expect(line(record)).toBe('12:30:05 warn: slow node=a:1 ms=12 urls=["x"]');
});

test("an error shows its message, not its stack", () => {
  const err = { message: "no space left", stack: "Error: no space left\n    at somewhere" };
  expect(line({ level: "error", time, msg: "saving failed", err })).toBe(
    "12:30:05 error: saving failed: no space left",
  );
  expect(line({ level: "error", time, err })).toBe("12:30:05 error: no space left");
});

test("text of others does nothing to the terminal; a message of several lines stays one", () => {
  const escapes = "\u001b[2J\u009b31m\u202e";
  const err = { message: `node 1 says ${escapes}`, stack: "" };
  const record = {
    level: "warn",
    time,
    msg: "refused:\n  here",
    err,
    node: escapes,
    told: [escapes],
  };
  expect(readableLine(record)).toContain("refused:\n  here: node 1 says  [2J 31m ");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the log's own colours are left out
  expect(readableLine(record).replace(/\u001b\[\d+m/g, "")).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

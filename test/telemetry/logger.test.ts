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

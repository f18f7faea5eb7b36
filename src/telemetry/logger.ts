import { isatty } from "node:tty";
import { styleText } from "node:util";
import pino, { type LevelWithSilent, type Logger } from "pino";
import { printable } from "../core/printable.ts";

interface LogRecord {
  level: string;
  /** ISO 8601. */
  time: string;
  msg?: string;
  err?: { message: string; stack: string };
  [field: string]: unknown;
}

const STANDARD_OUTPUT = 1;

const COLOURS: Readonly<Record<string, "yellow" | "red">> = {
  warn: "yellow",
  error: "red",
  fatal: "red",
};

/** Creates the log on standard output: one JSON object a line, or readable lines on a terminal. `redact` processes every line first. */
export function createLogger(level: LevelWithSilent, redact: (line: string) => string): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Unlike `process.stdout.isTTY` this works in a worker thread as well.
  if (isatty(STANDARD_OUTPUT)) {
    return pino(options, {
      write: (json) => {
        process.stdout.write(`${redact(readableLine(JSON.parse(json) as LogRecord))}\n`);
      },
    });
  }
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true });
  return pino(options, { write: (json) => void output.write(redact(json)) });
}

/** Formats `12:30:05 warn: message field=value`. Makes it printable, since nodes' texts are in it. Only JSON has the stack. */
export function readableLine({ level, time, msg, err, ...fields }: LogRecord): string {
  const label = level === "info" ? "" : `${level}: `;
  const text = [msg, err?.message].filter((part) => part !== undefined && part !== "").join(": ");
  const details = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const message = text.split("\n").map(printable).join("\n");
  const line = `${label}${message}${styleText("dim", printable(details.join("")))}`;
  const colour = COLOURS[level];
  return `${styleText("dim", time.slice(11, 19))} ${colour ? styleText(colour, line) : line}`;
}

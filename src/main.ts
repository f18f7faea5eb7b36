import { inspect } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { announce } from "./announce.ts";
import { startApp } from "./app.ts";
import { type Config, loadConfig, secretsOf, settings } from "./config.ts";
import { sleep } from "./core/async.ts";
import { messageOf } from "./core/errors.ts";
import { createSecrets } from "./core/secrets.ts";
import { createShutdown } from "./core/shutdown.ts";
import { verifySampleWorld } from "./sample-verifications.ts";
import { createLogger } from "./telemetry/logger.ts";

/** Signals that come this soon after the first are the same one: the terminal and npm both pass on a Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;
/** What a start under way gets to give itself up. */
const START_PATIENCE_MS = 1_500;
/** However a part hangs, this process ends after that; embedded programs end with it. */
const CLOSE_LIMIT_MS = 4_900;

const [argument] = process.argv.slice(2);
if (argument === undefined) {
  process.exit(await run());
} else if (argument === "--help") {
  process.stdout.write(help());
} else if (argument === "--version") {
  process.stdout.write(`${manifest.version}\n`);
} else {
  process.stderr.write(`periscope: unknown argument ${argument}, see --help\n`);
  process.exitCode = 2;
}

/** Runs until a signal or a failure ends it; returns the exit code. */
async function run(): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    process.stderr.write(`periscope: ${messageOf(error)}\n`);
    return 1;
  }
  const secrets = createSecrets(secretsOf(config));
  const log = createLogger(config.LOG_LEVEL, secrets.redact);
  const ending = Promise.withResolvers<number>();
  const stopping = new AbortController();
  const shutdown = createShutdown((name, error) => log.warn({ err: error }, `closing ${name}`));

  function end(exitCode: number): void {
    stopping.abort();
    ending.resolve(exitCode);
    setTimeout(() => process.exit(1), CLOSE_LIMIT_MS).unref();
  }

  function fail(reason: unknown): void {
    if (stopping.signal.aborted) return;
    const isDetailed = log.isLevelEnabled("debug") && reason instanceof Error;
    const words = secrets.redact(isDetailed ? inspect(reason) : messageOf(reason));
    process.stderr.write(`periscope: ${words}\n`);
    end(1);
  }

  onSignals((name) => {
    log.info(`stopping on ${name}`);
    end(0);
  });
  process.on("uncaughtException", fail);
  // Something that nobody waits for: no reason to take everything else away.
  process.on("unhandledRejection", (error) =>
    log.error({ err: error }, "a failure that nobody waited for"),
  );

  log.info(`Periscope ${manifest.version} starts`);
  const { signal } = stopping;
  const starting = startApp(config, { log, secrets, signal, shutdown, onFatal: fail }).then(
    async (app) => {
      await announce(app, log, signal);
      await verifySampleWorld(app, log, signal);
    },
    fail,
  );
  const exitCode = await ending.promise;
  await Promise.race([starting, sleep(START_PATIENCE_MS)]);
  await shutdown.close();
  return exitCode;
}

/** Calls `stop` on the first signal that asks for an end; a later one ends the process at once. */
function onSignals(stop: (name: string) => void): void {
  let stoppedAt: number | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (stoppedAt === undefined) {
        stoppedAt = performance.now();
        stop(name);
      } else if (performance.now() - stoppedAt > SAME_SIGNAL_MS) {
        process.exit(1);
      }
    });
  }
}

function help(): string {
  const lines = Object.entries(settings).map(([name, setting]) => {
    const value = setting.default === null ? "" : ` (default ${setting.default})`;
    return `  ${name}${value}\n      ${setting.meaning}\n`;
  });
  return `Usage: npm start, or node src/main.ts [--help | --version]\n\nSettings, from the environment:\n${lines.join("")}`;
}

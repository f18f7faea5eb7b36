import { inspect } from "node:util";
import { announce } from "./announce.ts";
import { type App, startApp } from "./app.ts";
import { sleep } from "./core/async.ts";
import { messageOf } from "./core/errors.ts";
import { createSecrets } from "./core/secrets.ts";
import { createShutdown } from "./core/shutdown.ts";
import { softwareVersion } from "./core/software-version.ts";
import { KIT_USAGE, runKit } from "./kit/commands.ts";
import { verifySampleWorld } from "./sample-verifications.ts";
import { loadSettings, type Settings } from "./settings/chains-file.ts";
import { type Setting, secretsOf, settings, settingWarnings } from "./settings/config.ts";
import { createLabelFiles } from "./settings/labels-file.ts";
import { createLogger } from "./telemetry/logger.ts";

/** Interval in which signals count as one: the terminal and npm both pass on a Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;
/** Time for an aborted start to end. */
const START_PATIENCE_MS = 1_500;
/** Time limit of closing, even when a part hangs; embedded programs end with the process. */
const CLOSE_LIMIT_MS = 4_900;

const [argument, ...others] = process.argv.slice(2);
if (argument !== undefined) process.stdout.on("error", endWithReader);
if (argument === undefined) {
  process.exit(await run());
} else if (argument === "--check-config") {
  process.exitCode = checkConfig() ? 0 : 1;
} else if (argument === "import-contracts" || argument === "compare") {
  process.exitCode = await runKit(argument, others, (line) => process.stdout.write(`${line}\n`));
} else if (argument === "--help") {
  process.stdout.write(help());
} else if (argument === "--version") {
  process.stdout.write(`${softwareVersion().version}\n`);
} else {
  process.stderr.write(`periscope: unknown argument ${argument}, see --help\n`);
  process.exitCode = 2;
}

/** Ends a command when its reader, such as `head`, closes the pipe. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

/** Returns the settings; undefined when they or the labels are invalid, after reporting the faults. */
function readSettings(
  report: (words: string) => void,
  labelFiles = createLabelFiles(),
): Settings | undefined {
  try {
    const read = loadSettings(process.env);
    labelFiles.read(read.chains);
    return read;
  } catch (error) {
    report(messageOf(error));
    return undefined;
  }
}

/** Writes a failure to stderr: text on a terminal, a line of JSON where the log is JSON too. */
function complain(words: string): void {
  const record = { level: "fatal", time: new Date().toISOString(), msg: words };
  const isTerminal = process.stdout.isTTY || process.stderr.isTTY;
  process.stderr.write(`${isTerminal ? `periscope: ${words}` : JSON.stringify(record)}\n`);
}

/** Prints the active settings, without secrets; returns false, with the faults on stderr, when there are any. */
function checkConfig(): boolean {
  const warnings = settingWarnings(process.env);
  for (const warning of warnings) process.stderr.write(`periscope: ${warning}\n`);
  const read = readSettings((words) => process.stderr.write(`periscope: ${words}\n`));
  if (!read) return false;
  const { redact } = createSecrets(read.chains.flatMap(secretsOf));
  for (const chain of read.chains) {
    if (chain !== read.common) process.stdout.write(`chain ${chain.CHAIN_ID}:\n`);
    for (const [name, value] of Object.entries(chain)) {
      const shown = typeof value === "boolean" ? Number(value) : value;
      if (value !== undefined) process.stdout.write(redact(`  ${name}=${shown}\n`));
    }
  }
  if (warnings.some((warning) => warning.includes("is not a setting"))) return false;
  process.stdout.write(`periscope: the settings can be used (${describe(read)})\n`);
  return true;
}

function describe({ common, chains }: Settings): string {
  if (common.CHAINS_FILE === undefined) return "one chain";
  return chains
    .map(({ CHAIN_ID, NETWORK_NAME = "" }) => `${CHAIN_ID} ${NETWORK_NAME}`.trim())
    .join(", ");
}

/** Runs until a signal or a failure ends it; returns the exit code. */
async function run(): Promise<number> {
  const labelFiles = createLabelFiles();
  const found = readSettings(complain, labelFiles);
  if (!found) return 1;
  const secrets = createSecrets(found.chains.flatMap(secretsOf));
  const log = createLogger(found.common.LOG_LEVEL, secrets.redact);
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
    complain(words);
    end(1);
  }

  let app: App | undefined;
  let reloading: Promise<void> = Promise.resolve();
  /** Applies the changed files; an invalid file changes nothing. */
  async function reload(): Promise<void> {
    try {
      await starting;
      const { chains } = loadSettings(process.env);
      labelFiles.read(chains);
      secrets.add(chains.flatMap(secretsOf));
      await app?.replaceChains?.(chains);
      log.info(`the chains are now ${describe({ common, chains })}`);
    } catch (error) {
      log.error(`the files are refused, labels and chains stay as they are: ${messageOf(error)}`);
    }
  }
  const { common } = found;
  onSignals(
    (name) => {
      log.info(`stopping on ${name}`);
      end(0);
    },
    common.CHAINS_FILE === undefined && common.LABELS_FILE === undefined
      ? undefined
      : () => {
          reloading = reloading.then(reload);
        },
  );
  process.on("uncaughtException", fail);
  // No part waits for it, so it must not end the process.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));

  const { version, commit } = softwareVersion();
  log.info(commit === null ? {} : { commit }, `Periscope ${version} starts`);
  for (const warning of settingWarnings(process.env)) log.warn(warning);
  const { signal } = stopping;
  const announcing: Promise<void>[] = [];
  const context = { log, secrets, labelFiles, signal, shutdown, onFatal: fail };
  const starting = startApp(found, context, (chain) => {
    announcing.push(announce(chain).then(() => verifySampleWorld(chain, chain.log, chain.signal)));
  }).then((started) => {
    app = started;
  }, fail);
  const exitCode = await ending.promise;
  const begun = Promise.all([starting, reloading, ...announcing]);
  await Promise.race([begun, sleep(START_PATIENCE_MS)]);
  await shutdown.close();
  return exitCode;
}

/** Calls `stop` on the first signal; a second one ends the process. With `reload`, SIGHUP calls that. */
function onSignals(stop: (name: string) => void, reload: (() => void) | undefined): void {
  let stoppedAt: number | undefined;
  if (reload) process.on("SIGHUP", reload);
  const endings = ["SIGINT", "SIGTERM", ...(reload ? [] : ["SIGHUP"])];
  for (const name of endings) {
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
  const lines = Object.entries<Setting>(settings).map(([name, [, meaning, standard]]) => {
    const value = standard === undefined ? "" : ` (default ${standard})`;
    return `  ${name}${value}\n      ${meaning}\n`;
  });
  return `Usage: periscope [--check-config | --help | --version], in a clone npm start [-- …]\n\n  ${KIT_USAGE}\nSettings, from the environment:\n${lines.join("")}`;
}
